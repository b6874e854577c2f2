import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  newOrganization,
  type Organization,
  randomUid,
} from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { randomNumbers } from "../world/random.ts";
import { tiers } from "../world/tiers.ts";

let organization: Organization;
let repo: { uid: string } & Record<string, unknown>;
beforeAll(async () => {
  organization = await newOrganization();
  repo = await createResource(`/registry/v2/repos/${organization.uid}`, organization.owner.token, {
    name: "r",
  });
});

const ask = (path: string, method = "GET", body?: unknown) =>
  callRest(path, { method, token: organization.owner.token, body });

describe("HEAD", () => {
  test("is GET without the body, for errors too", async () => {
    for (const path of [
      `/registry/v2/repos/${repo.uid}`,
      "/registry/v2/repos",
      "/ping/v2/ping",
      "/registry/v2/repos/nope",
      `/registry/v2/repos/${organization.uid}/0123456789abcdef`,
      `/registry/v2/repos/${randomUid()}`,
    ]) {
      const [head, get] = [await ask(path, "HEAD"), await ask(path)];
      expect([path, head.status, head.body]).toEqual([path, get.status, undefined]);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    }
    const none = await callRest("/registry/v2/repos", { method: "HEAD" });
    expect(none.status).toBe(401);
    expect((await ask("/nope", "HEAD")).status).toBe(404);
  });
});

describe("responses", () => {
  test("are JSON, and a DELETE has no body", async () => {
    const list = await ask("/registry/v2/repos");
    expect(list.headers.get("content-type")).toBe("application/json");
    const doomed = await createResource(
      `/registry/v2/repos/${organization.uid}`,
      organization.owner.token,
      {
        name: "doomed",
      },
    );
    const gone = await ask(`/registry/v2/repos/${doomed.uid}`, "DELETE");
    expect([gone.status, gone.body]).toEqual([200, undefined]);
  });

  test("are the same for DELETE with a body", async () => {
    const doomed = await createResource(
      `/registry/v2/repos/${organization.uid}`,
      organization.owner.token,
      {
        name: "doomed",
      },
    );
    expect((await ask(`/registry/v2/repos/${doomed.uid}`, "DELETE", "{not json")).status).toBe(200);
  });
});

const collections = [
  ...["groups", "identities", "roles", "roleBindings", "groupInvites", "identityProviders"].map(
    (name) => `/iam/v2/${name}`,
  ),
  ...["repos", "tags", "manifests", "tagMoves"].map((name) => `/registry/v2/${name}`),
  "/vulnerabilities/v2/advisories",
  "/libraries/v2/artifacts",
  "/advisory/v2/documents",
  "/events/v2/subscriptions",
  "/ping/v2/ping",
];
const ends = ["", "/readme", ":import", ":batchCreate", "/digests/x/size", "/versions", ":", "/"];
const oddTexts = [
  "nope",
  "%00",
  "%zz",
  "..",
  "%2e%2e",
  "%2F",
  "a".repeat(2000),
  "😀",
  "' or 1=1 --",
  "0".repeat(40),
  `${"0".repeat(40)}/${"f".repeat(16)}`,
  "{uid}",
  "*",
  "\u202e",
  "constructor",
];
const oddValues = [
  null,
  true,
  -1,
  1e308,
  0.5,
  2 ** 53,
  "",
  "\u0000",
  "\ud800",
  "x".repeat(5000),
  [],
  {},
  [[[[]]]],
  [null],
  { "": {} },
  { a: { b: { c: 1 } } },
  "2026-99-99T00:00:00Z",
  "sha256:zz",
];
const keys = [
  ...["name", "uid", "parent", "description", "digest", "bundles", "aliases", "kind", "verified"],
  ...["capabilities", "identityUid", "roleUid", "claimMatch", "claim_match", "staticKeys"],
  ...["awsIdentity", "servicePrincipal", "customOverlay", "sync_config", "activeTags", "moves"],
  ...["requests", "content", "mediaType", "createTime", "updateTime", "__proto__", "toString"],
];
const queryKeys = [
  ...["page_size", "pageSize", "page_token", "order_by", "skip", "name", "uidp", "uidp.ids"],
  ...["uidp.descendants_of", "uidp.in_root", "updateMask", "update_mask", "digest", "updatedSince"],
  ...["include_dates", "relationshipType", "architecture", "repo.name", "%zz", "=", "ids"],
];

describe("malformed requests", () => {
  for (const [some, tier] of tiers([1, 2, 3], () => "seed"))
    test.for(some)(
      "of seed %i never cause a server error, and change nothing",
      { ...tier, timeout: 120_000 },
      async (seed) => {
        const next = randomNumbers(seed);
        const pick = <T>(from: T[]): T => from[Math.floor(next() * from.length)] as T;
        const path = () => {
          const places = [...oddTexts.map(encodeSome), organization.uid, repo.uid, ""];
          const place = pick(places);
          const query = Array.from(
            { length: Math.floor(next() * 4) },
            () => `${pick(queryKeys)}=${encodeSome(String(pick(oddValues)))}`,
          );
          return `${pick(collections)}${place && "/"}${place}${pick(ends)}${query.length ? "?" : ""}${query.join("&")}`;
        };
        const body = () => {
          const odd = pick(oddValues);
          if (next() < 0.15)
            return pick(["", "{", "null", "[]", '"x"', "\u0000", '{"a":'.repeat(999)]);
          const entries = Array.from({ length: 1 + Math.floor(next() * 4) }, () => [
            pick(keys),
            next() < 0.5 ? odd : { [pick(keys)]: pick(oddValues), [pick(keys)]: odd },
          ]);
          return JSON.stringify(Object.fromEntries(entries));
        };
        const before = await everything();
        const verbs = ["GET", "POST", "PATCH", "DELETE", "PUT", "HEAD"];
        const asked = Array.from({ length: 120 }, () => {
          const method = pick(verbs);
          const at = path();
          // A random body can be well-formed, and is then accepted.
          const harmless = method === "DELETE" && /(repos|groups)\/[0-9a-f/]{40,}$/.test(at);
          const bodied = ["POST", "PATCH", "PUT"].includes(method);
          return { method: harmless ? "GET" : method, at, body: bodied ? body() : undefined };
        });
        for (const { method, at, body: sent } of asked) {
          const answer = await callRest(at, {
            method,
            token: organization.owner.token,
            body: sent,
          });
          const detail = `${method} ${at.slice(0, 300)} ${sent?.slice(0, 300)} -> ${JSON.stringify(answer.body)?.slice(0, 300)}`;
          expect(answer.status < 500 || answer.status === 501, detail).toBe(true);
          if (answer.status >= 400 && method !== "HEAD") {
            expect(answer.body.details?.[0]?.["@type"], detail).toBe(
              "type.googleapis.com/google.rpc.ErrorInfo",
            );
          }
        }
        expect(await everything()).toEqual(before);
      },
    );
});

/** Percent-encodes characters that a URL cannot contain, and leaves invalid escapes unchanged. */
function encodeSome(text: string): string {
  return text.replace(/[^\x21-\x7e]|[?#&]/gu, (one) =>
    /[\ud800-\udfff]/.test(one) && one.length === 1 ? "%ED%A0%80" : encodeURIComponent(one),
  );
}

const everything = () => {
  const selects = [
    ...["groups", "identities", "roles", "repos", "tags"].map(
      (one) => `select uid, name from ${one}`,
    ),
    ...["role_bindings", "manifests"].map((one) => `select uid from ${one}`),
  ];
  const mine = "where uid >= ?1 and uid < ?1 || '0' order by uid";
  return Promise.all(selects.map((select) => sql(`${select} ${mine}`, organization.uid)));
};
