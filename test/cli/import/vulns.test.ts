import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { grypeReport, matchOf } from "../../registry/vuln_reports/grype_reports.ts";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { commandsOf, newFolder, newStateFolder, platformctl } from "../command.ts";

let organization: Organization;
let repo: string;
let env: { PLATFORM_STATE: string };
let folder: string;
let run: Awaited<ReturnType<typeof commandsOf>>;
beforeAll(async () => {
  organization = await newOrganization();
  env = { PLATFORM_STATE: await newStateFolder(organization) };
  run = await commandsOf(organization);
  folder = await newFolder();
  const { uid, owner } = organization;
  repo = (await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "app/python" }))
    .uid;
});

const file = async (name: string, content: string | Uint8Array) => {
  await writeFile(join(folder, name), content);
  return join(folder, name);
};

/** Runs an import in this process. */
const load = (path: string, image: string, options: string[] = [], input = "") =>
  run(["import", "vulns", path, "--image", image, ...options], { input });

const matches = [matchOf("CVE-2026-0001", "High"), matchOf("CVE-2026-0002", "Low")];

test("a report can be plain, gzip or from standard input, and again changes nothing", async () => {
  const [one, two] = [fakeDigest("one"), fakeDigest("two")];
  const text = JSON.stringify(grypeReport(matches, { digests: [one] }), null, 1);
  const plain = await load(await file("one.json", text), `app/python@${one}`);
  const line = `${one}  grype 0.92.0  2026-05-01T08:00:00.123Z  2 vulnerabilities\n`;
  expect(plain).toEqual({ code: 0, err: "", out: line });
  expect((await load(await file("one.gz", gzipSync(text)), `${repo}@${one}`)).out).toBe(line);
  const args = ["import", "vulns", "-", "--image", `${repo}@${two}`, "--json"];
  const piped = await platformctl(args, { env, input: JSON.stringify(grypeReport([])) });
  expect(JSON.parse(piped.out)).toEqual({
    uid: expect.stringMatching(new RegExp(`^${repo}/[0-9a-f]{16}$`)),
    digest: two,
    scanner: "grype",
    scannerVersion: "0.92.0",
    scanTime: "2026-05-01T08:00:00.123Z",
    dbBuildTime: "2026-04-30T01:02:03.000Z",
    vulnerabilityCount: 0,
  });
  const { token } = organization.owner;
  const listed = await callRest(`/registry/v1/vuln_reports?repoId=${repo}`, { token });
  expect(listed.body.items.map((item: { digest: string }) => item.digest).sort()).toEqual(
    [one, two].sort(),
  );
  const raw = await callRest(`/registry/v1/vuln_reports/raw?digest=${one}`, { token });
  expect(raw.body.rawReport).toBe(text);
});

test("a report without a time gets the time of the option", async () => {
  const image = `${repo}@${fakeDigest("timeless")}`;
  const input = JSON.stringify(grypeReport(matches, { scanned: "" }));
  const { out } = await load("-", image, ["--scan-time", "2026-05-01T02:00:00+02:00"], input);
  expect(out).toContain("  2026-05-01T00:00:00.000Z  2 vulnerabilities\n");
  const report = JSON.stringify(grypeReport(matches));
  const { code, err } = await load("-", image, ["--scan-time", "2026-05-01T00:00:00Z"], report);
  expect(code).toBe(1);
  expect(err).toMatch(/scan_time must be that of the content/);
});

test("a report about another image, and a file that is not a report, fail with the platform's error", async () => {
  const other = grypeReport(matches, { digests: [fakeDigest("another")] });
  const path = await file("other.json", JSON.stringify(other));
  const refused = await load(path, `${repo}@${fakeDigest("refused")}`);
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toMatch(/digest must be that of the image in the content: sha256:/);
  const none = await load("-", `${repo}@${fakeDigest("refused")}`, [], '{"Results":[]}');
  expect(none.err).toMatch(/descriptor\.name must be grype.*\(INVALID_ARGUMENT\)/);
});

test("a report that is too large is not sent", async () => {
  const huge = await file("huge.json", " ".repeat(8 * 1024 * 1024 + 1));
  const { code, err } = await load(huge, `${repo}@${fakeDigest("huge")}`);
  expect(code).toBe(2);
  expect(err).toMatch(/larger than 8388608 bytes/);
});
