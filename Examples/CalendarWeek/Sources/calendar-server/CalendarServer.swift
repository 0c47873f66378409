// SPDX-License-Identifier: Apache-2.0

import CalendarWeek
import CollectionLayouts
import ServerCommand

/// `layout-server` with one layout more.
@main
struct CalendarServer {
  static func main() async {
    var layouts = LayoutRegistry()
    layouts.register(CalendarWeekLayout.self)
    await ServerCommand(name: "calendar-server", layouts: layouts).run()
  }
}
