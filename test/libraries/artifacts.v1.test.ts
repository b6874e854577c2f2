import { beforeAll, describe, expect, test } from "vitest";
import { newOrganization, type Organization } from "../world/personas.ts";
import { type Answer, callRest, sql } from "../world/platform.ts";
import { affectedPackage, importLibraries, osvRecordOf } from "./osv_libraries.ts";

let ours: Organization;
let token: string;
beforeAll(async () => {
  ours = await newOrganization();
  ({ token } = ours.owner);
  await importLibraries(
    token,
    ours.uid,
    osvRecordOf("A-1", [
      affectedPackage("PyPI", "torch", ["2.0.0", "2.0.0+cu118"], "2.0.1"),
      affectedPackage("Maven", "org.example:core", ["1.0", "1.1"]),
    ]),
    osvRecordOf("A-2", [affectedPackage("PyPI", "plain", ["0.9", "0.10"])]),
  );
});

const at = "/libraries/v1/artifacts";
const v2 = "/libraries/v2/artifacts";
const ask = (path: string, as = token) => callRest(`${at}${path}`, { token: as });

async function asked(path: string) {
  const { status, body } = await ask(path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const names = async (query: string) =>
  ((await asked(`?${query}`)).items ?? []).map(({ name }: { name: string }) => name);
const violated = ({ body }: Answer) =>
  body.details.flatMap(({ fieldViolations = [] }: { fieldViolations?: { field: string }[] }) =>
    fieldViolations.map(({ field }) => field),
  );

describe("a list of libraries", () => {
  test("a list of libraries has the rows of version 2 in the fields of version 1", async () => {
    const { items, ...envelope } = await asked("?ecosystems=PYTHON&query=TORCH");
    expect(envelope).toEqual({ totalArtifacts: 1, skipped: 0 });
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{40}$/),
        name: "torch",
        ecosystem: "PYTHON",
        latestVersion: "2.0.1",
        versionCount: 3,
        createdAt: "2024-02-01T09:00:00.000Z",
        updatedAt: "2024-03-01T10:00:00.000Z",
      },
    ]);
    const { body } = await callRest(`${v2}?ecosystems=ECOSYSTEM_PYTHON&query=torch`, { token });
    expect(body.artifacts[0]).toMatchObject({ uid: items[0].id, name: "torch" });
  });

  test("has pages, a count as a number, and skip", async () => {
    const of = "?ecosystems=PYTHON&ecosystems=JAVA&page_size=1";
    const first = await asked(`${of}&skip=1`);
    expect(first).toMatchObject({ totalArtifacts: 3, skipped: 1, items: [{ name: "plain" }] });
    const second = await asked(`${of}&page_token=${first.nextPageToken}`);
    expect(second).toMatchObject({ totalArtifacts: 3, skipped: 1, items: [{ name: "torch" }] });
    expect(second.nextPageToken).toBeUndefined();
    const other = await ask(`?ecosystems=JAVA&page_token=${first.nextPageToken}`);
    expect([other.status, violated(other)]).toEqual([400, ["page_token"]]);
  });

  test("is narrowed by each filter", async () => {
    const both = "ecosystems=JAVA&ecosystems=PYTHON";
    expect(await names(both)).toEqual(["org.example:core", "plain", "torch"]);
    expect(await names(`${both}&cudaVersion=11.8`)).toEqual(["torch"]);
    expect(await names("ecosystems=JAVA&cudaVersion=11.8")).toEqual([]);
    expect(await names(`${both}&remediated=true`)).toEqual(["torch"]);
    expect(await names(`${both}&query=core`)).toEqual(["org.example:core"]);
  });

  test("is empty for mirrored libraries, because nothing is mirrored", async () => {
    expect(await names("ecosystems=PYTHON&includeUpstream=true")).toEqual(["plain", "torch"]);
  });

  test.each(["JAVASCRIPT", "JAVA_ATHENA", "PYTHON_ATHENA", "DOTNET", "GO", "GO_ATHENA"])(
    "has none of %s, and skips that ecosystem among others",
    async (ecosystem) => {
      expect(await asked(`?ecosystems=${ecosystem}`)).toEqual({ totalArtifacts: 0, skipped: 0 });
      expect(await names(`ecosystems=${ecosystem}&ecosystems=JAVA`)).toEqual(["org.example:core"]);
    },
  );

  test.each([
    ["an unknown one", "?ecosystems=GO&ecosystems=UNKNOWN", "ecosystems[1]"],
    ["a large page", "?ecosystems=JAVA&page_size=201", "page_size"],
    ["a large page of none", "?ecosystems=GO&page_size=201", "page_size"],
    ["a negative skip", "?ecosystems=JAVA&skip=-1", "skip"],
    ["an invalid page token", "?ecosystems=GO&page_token=x", "page_token"],
    ["an invalid CUDA version", "?ecosystems=PYTHON&cudaVersion=new", "cuda_version"],
    ["an unknown one to count", "/count?ecosystems=UNKNOWN", "ecosystems[0]"],
  ])("a list of libraries rejects %s", async (_, query, field) => {
    const answer = await ask(query);
    expect([answer.status, violated(answer)]).toEqual([400, [field]]);
  });

  test("includes all ecosystems if the request names none", async () => {
    const { items, totalArtifacts } = await asked("");
    const both = await asked("?ecosystems=JAVA&ecosystems=PYTHON");
    expect(items.length).toBeGreaterThan(2);
    expect([items, totalArtifacts]).toEqual([both.items, both.totalArtifacts]);
    const { body } = await ask("/count");
    const counted = (await ask("/count?ecosystems=JAVA&ecosystems=PYTHON")).body;
    expect(body).toEqual(counted);
  });
});

describe("versions of a library", () => {
  const idOf = async (name: string) =>
    (await asked(`?ecosystems=PYTHON&query=${name}`)).items[0].id;

  test("are complete, the newest first, with all known fields", async () => {
    const id = await idOf("torch");
    const { items } = await asked(`/${id}/versions`);
    expect(items.map(({ version }: { version: string }) => version)).toEqual([
      "2.0.1",
      "2.0.0+cu118",
      "2.0.0",
    ]);
    expect(items[0]).toEqual({
      id: `${id}:2.0.1:SOURCE_TYPE_UNSPECIFIED`,
      name: "torch",
      version: "2.0.1",
      createdAt: "2024-02-01T09:00:00.000Z",
      updatedAt: "2024-03-01T10:00:00.000Z",
      sizeBytes: "0",
      malwareScanned: false,
      malwareMalicious: false,
    });
    expect((await asked(`/${id}/versions?includeUpstream=true`)).items).toEqual(items);
  });

  test("have no pages, however many there are", async () => {
    const id = await idOf("plain");
    const [row] = await sql<{ uid: string }>(
      "select uid from artifacts where artifact_uid = ?",
      id,
    );
    await sql(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 250)
       insert into artifact_versions (uid, versions)
       select ? || '/' || 'ffffffffffffffff', json_array(json_array(1, 1, json_group_array('9.' || i))) from n`,
      row?.uid,
    );
    const body = await asked(`/${id}/versions`);
    expect([body.items.length, body.items[0].version]).toEqual([252, "9.250"]);
    expect(Object.keys(body)).toEqual(["items"]);
  });

  test("with an id that is too long are rejected, and the error names the id", async () => {
    expect(violated(await ask(`/${"a".repeat(256)}/versions`))).toEqual(["id"]);
  });
});

test("counts are those of the requested ecosystems, each once, in their order", async () => {
  const of = "ecosystems=GO&ecosystems=PYTHON&ecosystems=JAVA&ecosystems=GO";
  expect(await asked(`/count?${of}`)).toEqual({
    counts: [
      { ecosystem: "GO", totalArtifacts: 0 },
      { ecosystem: "PYTHON", totalArtifacts: 2 },
      { ecosystem: "JAVA", totalArtifacts: 1 },
    ],
  });
  expect((await asked("/count?ecosystems=DOTNET")).counts).toEqual([
    { ecosystem: "DOTNET", totalArtifacts: 0 },
  ]);
});
