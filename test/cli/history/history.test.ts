import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import {
  addMoves,
  digestNumber,
  firstMove,
  hourMs,
  newImage,
  newVerified,
} from "../../distribution/stored_images.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { commandsOf, newStateFolder, platformctl } from "../command.ts";

let organization: Organization;
let repo = "";
let image = "";
let command: Awaited<ReturnType<typeof commandsOf>>;
let env: NodeJS.ProcessEnv = {};
const host = () => new URL(baseUrl()).host;

beforeAll(async () => {
  organization = await newVerified();
  repo = await newImage(organization, "python");
  image = `${organization.name}/python`;
  command = await commandsOf(organization);
  env = { PLATFORM_STATE: await newStateFolder(organization, { registryUrl: baseUrl() }) };
});

/** With `columns`, the output is a terminal. */
const history = (args: string[], columns?: number) =>
  command(["history", ...args], columns ? { env, columns } : { env });

const at = (n: number, milliseconds = 0) =>
  new Date(firstMove + n * hourMs + milliseconds).toISOString();
/** The lines of some of the records that images.ts creates. */
const lines = (...records: number[]) =>
  records.map((n) => `${at(n)}\t${digestNumber(n)}\n`).join("");

describe("without a terminal", () => {
  test("a line is a record, the newest first, and --reverse reverses them", async () => {
    expect(await history([image])).toEqual({ code: 0, out: lines(2, 1, 0), err: "" });
    const turned = await history([`${host()}/${image}:latest`, "--reverse"]);
    expect(turned).toEqual({ code: 0, out: lines(0, 1, 2), err: "" });
  });

  test("an image has the same history by each of its names", async () => {
    const uid = repo;
    for (const name of ["python", "python:latest", `${host()}/${image}`, uid, `${uid}:latest`])
      expect({ name, ...(await history([name])) }).toMatchObject({ name, out: lines(2, 1, 0) });
  });

  test("--limit selects the newest records in either order, and says that there are others", async () => {
    const newest = await history([image, "--limit", "2"]);
    expect(newest.out).toBe(lines(2, 1));
    expect(newest.err).toBe("There are older records. To see all, add --all.\n");
    expect((await history([image, "--limit", "2", "--reverse"])).out).toBe(lines(1, 2));
  });

  test("a history of more than one response is printed completely, each record once", async () => {
    await addMoves(repo, "many", 2345);
    const all = Array.from({ length: 2345 }, (_, n) => n);
    const turned = await history([`${image}:many`, "--reverse", "--all"]);
    const newest = await history([`${image}:many`, "--limit", "1500"]);
    expect(turned.out).toBe(lines(...all));
    expect(newest.out).toBe(lines(...all.slice(-1500).reverse()));
  });
});

describe("a time range", () => {
  test.each([
    ["both ends count", ["--since", at(1), "--until", at(1)], [1]],
    ["a millisecond later does not", ["--since", at(1, 1)], [2]],
    ["a millisecond earlier", ["--until", at(1, -1)], [0]],
    ["of a date, all of it after --until", ["--until", "2026-01-01"], [2, 1, 0]],
    ["of a date, its beginning after --since", ["--since", "2026-01-01"], [2, 1, 0]],
  ])("%s", async (_, args, records) => {
    expect(await history([image, ...args])).toEqual({ code: 0, out: lines(...records), err: "" });
  });

  test("history shows which digest replaced another, even after the end of the range", async () => {
    const { out } = await history([image, "--until", at(1), "--json"]);
    expect(JSON.parse(out)).toEqual({
      image: `${host()}/${image}:latest`,
      history: [
        { updateTimestamp: at(1), digest: digestNumber(1), replacedTimestamp: at(2) },
        { updateTimestamp: at(0), digest: digestNumber(0), replacedTimestamp: at(1) },
      ],
    });
  });

  test.each([
    ["after the last record", ["--since", at(2, 1)], /did not change in that period/, 2],
    ["before the first record", ["--until", at(0, -1)], /did not exist in that period/, 0],
  ])("without records, %s, the output says when the next one is", async (_, args, why, next) => {
    const { code, out, err } = await history([image, ...args]);
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toMatch(why);
    const [, command = ""] = /^To see it, run: platformctl history (.*)$/m.exec(err) ?? [];
    const found = await history(command.split(" "));
    expect(found.out).toContain(lines(next));
  });
});

describe("on a terminal", () => {
  test("each line has a dot, and the newest is marked as current", async () => {
    const { code, out, err } = await history([image], 100);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const short = digestNumber(0).slice(7, 19);
    expect(stripVTControlCharacters(out).split("\n")).toEqual([
      `${image}:latest  at ${host()}`,
      "",
      expect.stringMatching(
        new RegExp(`^ {2}●┄+ .* ago +2026-01-01 02:00:00Z +${short} .*  current$`),
      ),
      expect.stringMatching(new RegExp(`^ {2}○─+ .* ago +2026-01-01 01:00:00Z +${short}  1 h$`)),
      expect.stringMatching(new RegExp(`^ {2}○─+ .* ago +2026-01-01 00:00:00Z +${short}  1 h$`)),
      "",
      "3 digests, on average a new one every 1 h.",
      "",
    ]);
  });

  test("the output has colors in addition to the text", async () => {
    const [plain, coloured] = await Promise.all([
      platformctl(["history", image], { env: { ...env, NO_COLOR: "1" }, columns: 100 }),
      platformctl(["history", image], { env, columns: 100 }),
    ]);
    expect(coloured.out).toContain("\x1b[32m●\x1b[39m");
    expect(stripVTControlCharacters(coloured.out)).toBe(plain.out);
  });

  test("the output says that --limit left something out", async () => {
    const { out } = await history([image, "--limit", "1"], 80);
    expect(out).toContain("1 digest. There are older records: add --all to see them.");
  });
});

describe("a call that fails", () => {
  test.each([
    ["a tag that never was", ["python:nope"], "NOT_FOUND", "platformctl list tags --repo python"],
    ["a repo that does not exist", ["nope"], "NOT_FOUND", "platformctl list repos --group"],
  ])("%s, shows the next step", async (_, [name = ""], code, step) => {
    const { err, out, ...ended } = await history([`${organization.name}/${name}`]);
    expect({ ...ended, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(`(${code})\n`);
    expect(err).toContain(`${step}`);
    expect(err).toContain(organization.name);
  });

  test("shows the same for an image of others and for one that does not exist", async () => {
    const other = await newVerified();
    await newImage(other, "secret");
    const there = await history([`${other.name}/secret`]);
    const none = await history([`${other.name}/nothing`]);
    expect(there.code).toBe(1);
    expect(there.err).toMatch(/PERMISSION_DENIED[\s\S]*platformctl whoami/);
    const withoutId = ({ err }: { err: string }) => err.replace(/request id: .*/, "");
    expect(withoutId(none).replaceAll("nothing", "secret")).toBe(withoutId(there));
  });

  test("prints one document with --json", async () => {
    const { code, err } = await platformctl(["history", `${image}:nope`, "--json"], { env });
    expect(code).toBe(1);
    expect(JSON.parse(err).error).toMatchObject({ code: "NOT_FOUND" });
  });

  test("prints the error of the platform for an unknown group", async () => {
    const stranger = await newOrganization();
    const { code, err } = await history([`${stranger.name}/python`]);
    expect(code).toBe(1);
    expect(err).toMatch(/PERMISSION_DENIED/);
  });

  test.each([
    [["a/b", "--since", "soon"], /soon is not a time/],
    [["a/b", "--since", "1d", "--until", "2d"], /--since 1d .* is later than --until 2d/],
    [["a/b", "--limit", "0"], /--limit/],
    [["other.example:5000/a/b"], /other\.example:5000 is not the registry of this platform/],
  ])("%j is bad usage", async (args, message) => {
    const { code, out, err } = await history(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message);
  });
});
