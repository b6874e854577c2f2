#!/usr/bin/env python3
"""baseline.py CHECKOUT [NEW_ROWLESS_TABLE…]: writes the one migration again from schema/tables."""
import json, os, re, subprocess, sys
root, new = sys.argv[1], sys.argv[2:]
path = f"{root}/migrations/0000_create_schema.sql"
old = subprocess.run(["git", "show", "HEAD:migrations/0000_create_schema.sql"], cwd=root, capture_output=True, text=True).stdout
now = open(path).read() if os.path.exists(path) else old
if "<<<<<<<" in now or "-- Built-in roles." not in now: now = old
tail = now[now.index("-- Built-in roles."):]
rowless = set(re.findall(r"CREATE TABLE `(\w+)` \((?:(?!CREATE TABLE).)*?\) WITHOUT ROWID;", old + now, re.S)) | set(new)
for name in os.listdir(f"{root}/migrations/meta"): os.remove(f"{root}/migrations/meta/{name}")
for name in os.listdir(f"{root}/migrations"):
    if name.endswith(".sql"): os.remove(f"{root}/migrations/{name}")
json.dump({"version": "7", "dialect": "sqlite", "entries": []}, open(f"{root}/migrations/meta/_journal.json", "w"))
env = {**os.environ, "PATH": f"{root}/node_modules/.bin:" + os.environ["PATH"]}
out = subprocess.run(["node", "cli/new/migration.ts", "create_schema"], cwd=root, env=env, capture_output=True, text=True)
print(out.stdout, out.stderr)
sql = open(path).read()
for table in sorted(rowless):
    sql, n = re.subn(r"(CREATE TABLE `%s` \((?:(?!CREATE TABLE).)*?\n\));" % table, r"\1 WITHOUT ROWID;", sql, count=1, flags=re.S)
    if n != 1: print("no table", table)
if not sql.rstrip().endswith("--> statement-breakpoint"): sql = sql.rstrip() + "\n--> statement-breakpoint\n"
open(path, "w").write(sql + tail)
