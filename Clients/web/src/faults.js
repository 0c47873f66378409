// SPDX-License-Identifier: Apache-2.0

/** Runs something of the page. A fault in it ends nothing; the page is told as of any other of its faults. */
export function reported(run) {
  try {
    run();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}
