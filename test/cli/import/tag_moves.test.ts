import { expect, test } from "vitest";
import { parseTagMove } from "../../../cli/import/tag_moves.ts";
import { newIdentity, newOrganization } from "../../world/personas.ts";
import { callRest, tokenFor } from "../../world/platform.ts";
import { commandsOf, newStateFolder, platformctl } from "../command.ts";

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const good = {
  updateTimestamp: "2024-05-01T10:00:00Z",
  repo: "app",
  tag: "1.0",
  digest: digest("a"),
};
const line = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const parse = (value: unknown) => parseTagMove({ number: 1, bytes: Buffer.from(line(value)) });

test("a move is read with its time in any time zone, and other members of its line are not sent", () => {
  const updateTimestamp = "2024-05-01T12:00:00.123+02:00";
  const item = { updateTime: updateTimestamp, repo: "app", tag: "1.0", digest: digest("a") };
  const parsed = parse({ ...good, updateTimestamp, extra: 1 });
  // The size of a batch is counted in these bytes: the move in JSON, and a comma.
  expect(parsed).toEqual({ item, bytes: JSON.stringify(item).length + 1 });
});

test.each([
  ["not JSON", "{", "", /^not valid JSON/],
  ["a list", "[]", "", /^not a JSON object/],
  ["null", "null", "", /^not a JSON object/],
  ["a missing member", { ...good, tag: undefined }, "tag", /^tag is missing/],
  ["a number for a text", { ...good, repo: 1 }, "repo", /^repo must be a string/],
  ["an invalid time", { ...good, updateTimestamp: "yesterday" }, "updateTimestamp", /RFC 3339/],
  ["a repo in capitals", { ...good, repo: "App" }, "repo", /"App" must be lowercase letters/],
  ["a tag with a space", { ...good, tag: "a b" }, "tag", /"a b" must be 1 to 128 letters/],
  [
    "a digest too short",
    { ...good, digest: "sha256:00" },
    "digest",
    /"sha256:00" must be sha256: and 64/,
  ],
])("the error of %s names the field", (_, value, field, message) => {
  expect(parse(value)).toEqual({ field, message: expect.stringMatching(message) });
});

test("bytes that are not UTF-8 are an error", () => {
  const parsed = parseTagMove({ number: 1, bytes: Buffer.from([0x7b, 0xff, 0x7d]) });
  expect(parsed).toEqual({ field: "", message: "not UTF-8 text" });
});

test("an import creates repositories, tags and history, and again changes nothing", async () => {
  const organization = await newOrganization();
  const env = { PLATFORM_STATE: await newStateFolder(organization) };
  const moves = [good, { ...good, updateTimestamp: "2024-05-02T00:00:00Z", digest: digest("b") }];
  const input = moves.map(line).join("\n");
  const args = ["import", "tag-moves", "-", "--json", "--group"];
  const first = await platformctl([...args, organization.name], { env, input });
  expect(first.err).toBe("");
  const sum = { createdRepos: 1, createdTags: 1, recordedMoves: 2, unchangedMoves: 0 };
  expect(JSON.parse(first.out)).toMatchObject({ ...sum, lines: 2, badLineCount: 0 });
  const again = await platformctl([...args, organization.uid], { env, input });
  const nothing = { createdRepos: 0, createdTags: 0, recordedMoves: 0, unchangedMoves: 2 };
  expect(JSON.parse(again.out)).toMatchObject(nothing);
  const path = `/registry/v2/tags?uidp.descendants_of=${organization.uid}`;
  const { body } = await callRest(path, { token: await tokenFor(organization.owner.uid) });
  expect(body.tags).toMatchObject([{ name: "1.0", digest: digest("b") }]);
});

test("more lines than one call accepts are sent in several calls", async () => {
  const organization = await newOrganization();
  const importMoves = await commandsOf(organization);
  const wide = { ...good, repo: "r".repeat(255), tag: "t".repeat(128) };
  const input = Array.from({ length: 3100 }, (_, i) =>
    line({
      ...wide,
      updateTimestamp: new Date(i * 1000).toISOString(),
      digest: `sha256:${i.toString(16).padStart(64, "0")}`,
    }),
  ).join("\n");
  const args = ["import", "tag-moves", "-", "--json", "--group", organization.uid];
  const { err, out } = await importMoves(args, { input });
  expect(err).toBe("");
  expect(input.length).toBeGreaterThan(1536 * 1024);
  expect(JSON.parse(out)).toMatchObject({ lines: 3100, createdTags: 1, recordedMoves: 3100 });
});

test("bad lines are listed with their numbers, and the exit code is not zero", async () => {
  const organization = await newOrganization();
  const importMoves = await commandsOf(organization);
  const input = [line(good), "nonsense", "", line({ ...good, tag: "" })].join("\n");
  const args = ["import", "tag-moves", "-", "--group", organization.name];
  const stopped = await importMoves(args, { input });
  expect(stopped.code).toBe(4);
  expect(stopped.err).toMatch(/^error: Line 2: not valid JSON.*\nNothing was imported\.\n$/);
  const env = { PLATFORM_STATE: await newStateFolder(organization) };
  const skipped = await platformctl([...args, "--skip-bad-lines"], { env, input });
  expect(skipped.code).toBe(4);
  expect(skipped.out).toMatch(/1 new repository, 1 new tag\n {2}1 move recorded, 0 unchanged/);
  expect(skipped.err).toMatch(
    /^Skipped 2 bad lines:\n {2}Line 2: not valid JSON.*\n {2}Line 4: tag: /,
  );
});

test("a group that does not exist, or whose name is ambiguous, is an error", async () => {
  const organization = await newOrganization();
  const { token } = organization.owner;
  const importMoves = await commandsOf(organization);
  const run = (group: string) =>
    importMoves(["import", "tag-moves", "-", "--group", group], { input: line(good) });
  expect(await run("nobody-has-this-name")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no group "nobody-has-this-name"/),
  });
  for (const parent of [organization.uid, undefined]) {
    const above =
      parent ??
      (await callRest(`/iam/v2/groups/${organization.uid}`, { token, body: { name: "mid" } })).body
        .uid;
    await callRest(`/iam/v2/groups/${above}`, { token, body: { name: "twin" } });
  }
  const { code, err } = await run("twin");
  expect(code).toBe(1);
  expect(err).toMatch(/2 groups are named "twin"/);
  expect(err.match(new RegExp(`  ${organization.uid}/`, "g"))).toHaveLength(2);
  expect(await run("mid/twin")).toMatchObject({ code: 0, err: "" });
});

test("a caller who cannot write gets the error of the platform", async () => {
  const organization = await newOrganization();
  const viewer = await newIdentity(organization, "viewer");
  const state = await newStateFolder({ ...organization, owner: viewer });
  const args = ["import", "tag-moves", "-", "--json", "--group", organization.uid];
  const { code, err } = await platformctl(args, {
    env: { PLATFORM_STATE: state },
    input: line(good),
  });
  expect(code).toBe(1);
  expect(JSON.parse(err).error).toMatchObject({
    code: "PERMISSION_DENIED",
    message: expect.stringContaining("repo.create"),
    details: [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo" },
      { "@type": "type.googleapis.com/google.rpc.RequestInfo" },
    ],
  });
});
