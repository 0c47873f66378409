# SPDX-License-Identifier: Apache-2.0
"""Runs histories of a cluster, one for each seed: see Scripts/histories."""

import argparse
import logging
import sys
import time

from cluster import Cluster
from history import History, Scale


def run(seed, scale):
    """What is wrong with the history of a seed, and a line about it."""
    # Every third loses its log again and again, so that servers that fall behind read the snapshot; every fourth
    # has no notifications.
    options = []
    if seed % 3 == 0:
        options += ["--history-batches", "50"]
    if seed % 4 == 0:
        options += ["--store-notifications", "false"]
    start = time.monotonic()
    with Cluster(options=options) as cluster:
        history = History(cluster, seed, scale)
        violations = history.run()
        if violations:
            sys.stderr.write(cluster.logs())
    line = (f"seed {seed}: {len(history.acknowledged)} batches, {history.retries} retries, "
            f"{sum(len(each) for each in history.sights.values())} sights, {history.reconnections} "
            f"reconnections, {len(history.done_faults)} faults, {time.monotonic() - start:.0f} s")
    return violations, f"{line}: {', '.join(history.done_faults)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", nargs="*", default=["1-100"], help="numbers, or ranges such as 1-100")
    parser.add_argument("--seconds", type=float, default=12, help="how long things fail (12)")
    parser.add_argument("--freeze", type=float, default=10, help="how long a server stands still at most (10)")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.CRITICAL)
    failed = 0
    for text in arguments.seeds:
        first, _, last = text.partition("-")
        for seed in range(int(first), int(last or first) + 1):
            violations, line = run(seed, Scale(seconds=arguments.seconds, freeze=arguments.freeze))
            print(line, flush=True)
            for violation in violations[:8]:
                print(f"  {violation}", flush=True)
            failed += bool(violations)
    if failed:
        sys.exit(f"{failed} histories break promises")


if __name__ == "__main__":
    main()
