# SPDX-License-Identifier: GPL-2.0-only
#
# Prints a dashboard for Grafana, of one screen, with a panel for each metric:
#   kuid status --prometheus | awk -f dashboard.awk >kuid.json

/^# HELP / {
	name[++n] = $3
	help[n] = $0
	sub(/^# HELP [^ ]+ /, "", help[n])
	gsub(/["\\]/, "\\\\&", help[n])
}

/^# TYPE / { type[n] = $4 }

/^kuid_[a-z_]+\{/ && !label[n] { label[n] = substr($0, index($0, "{") + 1); sub(/=.*/, "", label[n]) }

END {
	printf "{\"title\": \"kuid\", \"uid\": \"kuid\", \"schemaVersion\": 36, \"refresh\": \"30s\",\n"
	printf " \"time\": {\"from\": \"now-6h\", \"to\": \"now\"}, \"panels\": ["
	for (i = 1; i <= n; i++) {
		value = type[i] == "counter" ? "rate(" name[i] "[5m])" : name[i]
		unit = name[i] ~ /timestamp_seconds$/ ? "dateTimeFromNow" : name[i] ~ /_seconds$/ ? "s" : "short"
		if (unit == "dateTimeFromNow")
			value = value " * 1000"
		printf "%s\n  {\"id\": %d, \"type\": \"timeseries\", \"title\": \"%s\", \"description\": \"%s\",\n",
			(i > 1 ? "," : ""), i, name[i], help[i]
		printf "   \"gridPos\": {\"x\": %d, \"y\": %d, \"w\": 4, \"h\": 5},\n", (i - 1) % 6 * 4, int((i - 1) / 6) * 5
		printf "   \"fieldConfig\": {\"defaults\": {\"unit\": \"%s\"}},\n", unit
		printf "   \"targets\": [{\"expr\": \"%s\", \"legendFormat\": \"{{instance}}%s\"}]}", value,
			label[i] ? " {{" label[i] "}}" : ""
	}
	print "]}"
}
