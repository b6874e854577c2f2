import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { refusedFailure, unreachableFailure } from "../../../cli/failure.ts";
import type { JsonObject } from "../../../cli/resources/flags.ts";
import { requireResourceNamed } from "../../../cli/resources/names.ts";
import { changesBetween, printOrWatch, rowsByKey } from "../../../cli/resources/watch.ts";
import { createResource, newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { newStateFolder, platformctl, root } from "../command.ts";

test("outside a terminal, a watch prints what is added, changed and removed, until Ctrl-C", async () => {
  const organization = await newOrganization();
  const { uid, owner } = organization;
  const path = `/registry/v2/repos/${uid}`;
  await createResource(path, owner.token, { name: "first" });
  const args = ["list", "repos", "--watch", "--interval", "1s", "--columns", "name,description"];
  const child = spawn(process.execPath, [join(root, "cli/platformctl.js"), ...args], {
    env: { PATH: process.env.PATH, PLATFORM_STATE: await newStateFolder(organization) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const lines = child.stdout.setEncoding("utf8")[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  expect(await next()).toBe("added\tfirst\t\n");
  const second = await createResource(path, owner.token, { name: "second", description: "x" });
  expect(await next()).toBe("added\tsecond\tx\n");
  await callRest(`/registry/v2/repos/${second.uid}`, { method: "DELETE", token: owner.token });
  expect(await next()).toBe("removed\tsecond\tx\n");
  child.kill("SIGINT");
  expect(await ended).toEqual([null, "SIGINT"]);
});

/** The output of a watch if its reads end in this way, one after the other. */
async function watched(reads: (JsonObject[] | Error)[], isTTY: boolean): Promise<string> {
  const out = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  let text = "";
  out.on("data", (part) => {
    text += part;
  });
  const waiting = [...reads, refusedFailure("PERMISSION_DENIED", "no longer")];
  const read = async () => {
    const found = waiting.shift();
    if (!Array.isArray(found)) throw found;
    return found;
  };
  const print = async (rows: JsonObject[]) => void out.write(`${JSON.stringify(rows)}\n`);
  const resource = requireResourceNamed("repo");
  const options = { watch: true, interval: 1, columns: ["name"] };
  const rowsOf = (rows: JsonObject[]) => rows;
  const done = printOrWatch({ resource, read, rowsOf, isCutOff: () => false, print }, options, out);
  await expect(done).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  return text;
}

const a = { uid: "1", name: "a" };
const b = { uid: "2", name: "b" };

test("a watch continues after a failure that passes, and misses no change", async () => {
  const failures = [
    unreachableFailure("There was no response."),
    refusedFailure("UNAVAILABLE", ""),
  ];
  const text = await watched([[a], ...failures, [a, b], [{ ...a, name: "c" }, b], [b]], false);
  expect(text).toBe("added\ta\nadded\tb\nchanged\tc\nremoved\tc\n");
});

test("a terminal shows the rows again, from its top left corner", async () => {
  expect(await watched([[a], [b]], true)).toBe(
    `\u001b[H\u001b[2J${JSON.stringify([a])}\n\u001b[H\u001b[2J${JSON.stringify([b])}\n`,
  );
});

test("outside a terminal, a watch that cannot see all rows is refused, because rows would seem to be removed", async () => {
  const organization = await newOrganization();
  const { uid, owner } = organization;
  for (const name of ["one", "two"])
    await createResource(`/registry/v2/repos/${uid}`, owner.token, { name });
  const state = await newStateFolder(organization);
  const { code, err, out } = await platformctl(["list", "repos", "--watch", "--limit", "1"], {
    env: { PLATFORM_STATE: state },
  });
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain("There are more than 1 rows.");
});

test("applying the changes to the old rows gives the new rows", () => {
  const row = fc.record({ uid: fc.constantFrom("1", "2", "3", "4"), name: fc.string() });
  const rows = fc.uniqueArray(row, { selector: ({ uid }) => uid });
  fc.assert(
    fc.property(rows, rows, (before, now) => {
      const known = new Map<unknown, JsonObject>(before.map((one) => [one.uid, one]));
      for (const { change, row: one } of changesBetween(rowsByKey(before), rowsByKey(now))) {
        expect(known.has(one.uid)).toBe(change !== "added");
        if (change === "removed") known.delete(one.uid);
        else known.set(one.uid, one);
      }
      expect(new Set(known.values())).toEqual(new Set(now));
    }),
  );
});

test.each([
  [["--interval", "5s"], "--interval needs --watch."],
  [["--watch", "--interval", "10ms"], "It must be a duration from 1s to 1h."],
  [["--watch", "--interval", "2d"], "It must be a duration from 1s to 1h."],
  [["--watch", "--all"], "Leave out --all."],
  [["--watch", "-o", "wide"], "Leave out -o wide, or choose tsv"],
])("list repos %j is refused", async (words, text) => {
  const { code, err } = await platformctl(["list", "repos", ...words]);
  expect(code).toBe(2);
  expect(err).toContain(text);
});
