#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Prometheus' own tool takes the alerts, and each fires when it should; the dashboard has all metrics.
# Prints KTAP. Needs what fake_device.sh does, and must be given with its path.

# shellcheck source=SCRIPTDIR/../fake_device.sh
. "${0%/*}/../fake_device.sh"
cd "${0%/*}/../../prometheus" || exit

dashboard_has_metrics()
{
	printf "reasons 1\n" >"$FAKE/device" && run status --prometheus >"$out" &&
		awk -f dashboard.awk "$out" >"$work/dashboard" &&
		python3 -c '
import json, sys
panels = json.load(open(sys.argv[1]))["panels"]
names = [line.split()[2] for line in open(sys.argv[2]) if line.startswith("# HELP")]
assert [panel["title"] for panel in panels] == names and len(names) > 15
assert all(panel["title"] in panel["targets"][0]["expr"] for panel in panels)
assert all(panel["gridPos"]["y"] < 25 for panel in panels), "more than a screen"' \
			"$work/dashboard" "$out"
}

echo "KTAP version 1"
it "the dashboard has a panel for each metric" dashboard_has_metrics
if command -v promtool >/dev/null; then
	it "promtool takes the alerts" promtool check rules kuid.rules.yml
	it "they fire when they should" promtool test rules kuid.test.yml
else
	skip "promtool takes the alerts" "no promtool"
	skip "they fire when they should" "no promtool"
fi
finish
