/** Etags in reads of version 2: `If-None-Match` of every Get and List, and the field `etag` in every resource. */
import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { newUser } from "../world/personas.ts";
import { baseUrl, callRest } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";
import { askRest, callers } from "./callers.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
  step,
} from "./fixtures.ts";
import { organizationRows } from "./organization_rows.ts";
import { readRequestOf } from "./reads.ts";
import { type ContractRpc, rpcOf, rpcs } from "./rpcs.ts";

let fixtures: Fixtures;
let token: string;
beforeAll(async () => {
  fixtures = await newFixtures();
  ({ token } = await newContractCaller(fixtures.organization.uid, allCapabilities));
});

const rowsNow = () => organizationRows(fixtures.organization.uid, { events: true });

const version = (etag: string) => etag.replace(/\..*|"$/g, "").replace(/^"/, "");

const reads = rpcs
  .filter(
    ({ isV1, open, verb, method }) =>
      !isV1 && !open && verb === "GET" && /^(?:Get|List)/.test(method.name),
  )
  .map((rpc): [string, ContractRpc] => [rpc.name, rpc]);

const hasVersion = ({ field }: DescMessage) => "uid" in field && "updateTime" in field;

const places = (rpc: ContractRpc) =>
  rpc.method.output.fields.filter(({ message }) => message?.field.etag && hasVersion(message));

describe("the field etag", () => {
  const v2 = rpcs.filter(({ isV1 }) => !isV1);
  const resources = v2
    .filter(({ method }) => /^(?:Get|Create|Update)/.test(method.name) && hasVersion(method.output))
    .map(({ method }) => method.output);

  test("is in every resource with a version, and in the request of every delete", () => {
    expect(new Set(resources).size).toBe(21);
    for (const { typeName, field } of resources)
      expect([typeName, field.etag?.number]).toEqual([typeName, 120]);
    const deletes = v2.filter(({ method }) => method.name.startsWith("Delete"));
    expect(deletes.filter(({ method }) => method.input.field.etag?.number !== 120)).toEqual([]);
  });

  test("is never deeper in a response than in its rows", () => {
    const deeper = (desc: DescMessage, depth: number): boolean =>
      depth < 6 &&
      desc.fields.some(
        ({ message }) =>
          message &&
          ((depth > 0 && message.field.etag && hasVersion(message)) || deeper(message, depth + 1)),
      );
    expect(v2.filter(({ method }) => deeper(method.output, 0)).map(({ name }) => name)).toEqual([]);
  });

  const shown = reads.filter(
    ([, rpc]) => resources.includes(rpc.method.output) || places(rpc).length > 0,
  );
  for (const [some, tier] of tiers(shown, ([, rpc]) => rpc.method.name.slice(0, 3)))
    test.for(some)("%s has that of a Get, over every transport", tier, async ([, rpc]) => {
      const request = await readRequestOf(rpc, fixtures, {});
      for (const [name, ask] of Object.entries(callers)) {
        const { message } = await ask(rpc, request, token);
        const [place] = places(rpc);
        const response = message as JsonObject;
        const rows = (place ? response[place.jsonName] : [response]) as JsonObject[];
        expect([name, rows.length > 0]).toEqual([name, true]);
        for (const { etag } of rows) expect(etag).toMatch(/^"\w+-[0-9a-f]+-[0-9a-z]+"$/);
        const [row = {}] = rows;
        const get = rpcOf(
          `${rpc.method.parent.name}/Get${(place?.message ?? rpc.method.output).name}`,
        );
        const answer = await askRest(get, { uid: String(row.uid) }, token);
        expect(row.etag).toBe(answer.body.etag);
        expect(row.etag).toBe(`"${version(answer.headers.get("etag") ?? "")}"`);
      }
    });

  test("is absent where a call only validates, and in version 1", async () => {
    const { uid } = fixtures.organization;
    const body = { description: `d-${step()}` };
    const options = { method: "PATCH", token, body };
    const { body: checked } = await callRest(`/iam/v2/groups/${uid}?validate_only=true`, options);
    expect(checked.uid).toBe(uid);
    expect(checked).not.toHaveProperty("etag");
    const { body: listed } = await callRest(`/iam/v1/groups?uidp.childrenOf=${uid}`, { token });
    expect(JSON.stringify(listed)).not.toContain("etag");
  });

  test("can be sent back with the rest of a row, and a mask with it alone changes nothing", async () => {
    const path = `/iam/v2/groups/${fixtures.organization.uid}`;
    const { body: row } = await callRest(path, { token });
    const description = `d-${step()}`;
    const options = { method: "PATCH", token };
    const updated = await callRest(path, { ...options, body: { ...row, description } });
    expect([updated.status, updated.body.description]).toEqual([200, description]);
    const again = await callRest(path, { ...options, body: { ...row, description: "" } });
    expect([again.status, again.body.details[0].reason]).toEqual([412, "ETAG_MISMATCH"]);
    const before = await rowsNow();
    for (const mask of ["etag", "*"]) {
      const body = { ...updated.body };
      const same = await callRest(`${path}?update_mask=${mask}`, { ...options, body });
      expect([mask, same.status, same.body.etag]).toEqual([mask, 200, updated.body.etag]);
    }
    expect(await rowsNow()).toEqual(before);
  });
});

describe("If-None-Match of reads", () => {
  for (const [some, tier] of tiers(reads, ([, rpc]) => rpc.method.name.slice(0, 3)))
    test.for(some)(
      "%s responds 304 with the same headers, and 403 without access",
      tier,
      async ([, rpc]) => {
        const request = await readRequestOf(rpc, fixtures, {});
        const first = await askRest(rpc, request, token);
        expect(first.status).toBe(200);
        const etag = first.headers.get("etag") ?? "none";
        expect(etag).toMatch(/^"[\w.-]+"$/);
        for (const stated of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const headers = { "if-none-match": stated };
          const answer = await askRest(rpc, request, token, headers);
          expect([stated, answer.status, answer.body]).toEqual([stated, 304, undefined]);
          for (const name of ["etag", "vary", "cache-control"])
            expect(answer.headers.get(name)).toBe(first.headers.get(name));
        }
        const other = await askRest(rpc, request, token, { "if-none-match": '"other"' });
        expect([other.status, other.body]).toEqual([200, first.body]);
        const malformed = await askRest(rpc, request, token, { "if-none-match": "malformed" });
        expect(malformed.status).toBe(400);
        const stranger = await newUser();
        const refused = await askRest(rpc, request, stranger.token, { "if-none-match": etag });
        const plain = await askRest(rpc, request, stranger.token);
        expect([rpc.name, refused.status]).toEqual([rpc.name, plain.status]);
        expect(refused.status).not.toBe(304);
      },
    );

  test("a HEAD has the etag too, and a List of several pages keeps its etag", async () => {
    const path = "/iam/v2/roles?page_size=1";
    const first = await callRest(path, { token });
    expect(first.body.nextPageToken).not.toBe("");
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const again = await callRest(path, { token });
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    const headers = {
      authorization: `Bearer ${token}`,
      "if-none-match": String(first.headers.get("etag")),
    };
    const head = await fetch(`${baseUrl()}${path}`, { method: "HEAD", headers });
    expect([head.status, head.headers.get("etag")]).toEqual([304, first.headers.get("etag")]);
  });

  test("an update changes the etag, and an update that changes nothing does not", async () => {
    const path = `/iam/v2/groups/${fixtures.organization.uid}`;
    const before = (await callRest(path, { token })).headers.get("etag");
    const description = `d-${step()}`;
    const update = () => callRest(path, { method: "PATCH", token, body: { description } });
    await update();
    const after = (await callRest(path, { token })).headers.get("etag");
    expect(after).not.toBe(before);
    await update();
    expect((await callRest(path, { token })).headers.get("etag")).toBe(after);
  });
});
