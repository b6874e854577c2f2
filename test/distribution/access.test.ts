/** Every endpoint with every kind of token: a token opens the repositories that it names, and nothing else. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { newEndpoints } from "../../src/distribution/v2.ts";
import { randomUid } from "../world/personas.ts";
import { registryAudience, tokenFor, vendor } from "../world/platform.ts";
import {
  digestOf,
  manifestType,
  newImageOf,
  outcome,
  pushBlob,
  pushImage,
  send,
  someBytes,
  type Target,
} from "./client.ts";
import { startOwnRegistry } from "./own_registry.ts";

/** A request for one method of an endpoint, and what it gets if the token opens it. */
interface Row {
  /** After the name of the image. */
  path: string;
  body?: string;
  opened: [status: number, code?: string];
  /** The status if the token does not name the repository. The default is 401, with a challenge. */
  unnamed?: number;
}

const image = newImageOf();
const layer = digestOf(image.layer);
const absent = digestOf("absent");
const noUpload: [number, string] = [404, "BLOB_UPLOAD_UNKNOWN"];

/** By the method and the path of the endpoint, as the table in v2.ts has them. */
const rows: Record<string, Row> = {
  "GET _vendor/history/([^/]*)": { path: "_vendor/history/latest", opened: [200], unnamed: 403 },
  "HEAD _vendor/history/([^/]*)": { path: "_vendor/history/latest", opened: [200], unnamed: 403 },
  "POST _vendor/uploads/([^/]+)": { path: "_vendor/uploads/x", opened: noUpload },
  "PUT _vendor/uploads/([^/]+)": { path: `_vendor/uploads/x?digest=${absent}`, opened: noUpload },
  "GET _vendor/images/([^/]*)": { path: `_vendor/images/${image.digest}`, opened: [200] },
  "HEAD _vendor/images/([^/]*)": { path: `_vendor/images/${image.digest}`, opened: [200] },
  "GET tags/list()": { path: "tags/list", opened: [200] },
  "HEAD tags/list()": { path: "tags/list", opened: [200] },
  "GET referrers/([^/]*)": { path: `referrers/${image.digest}`, opened: [200] },
  "HEAD referrers/([^/]*)": { path: `referrers/${image.digest}`, opened: [200] },
  "GET manifests/([^/]*)": { path: "manifests/latest", opened: [200] },
  "HEAD manifests/([^/]*)": { path: "manifests/latest", opened: [200] },
  "PUT manifests/([^/]*)": { path: "manifests/latest", body: image.text, opened: [201] },
  "DELETE manifests/([^/]*)": { path: "manifests/absent", opened: [404, "MANIFEST_UNKNOWN"] },
  "POST blobs/uploads/?()": { path: "blobs/uploads/", opened: [202] },
  "GET blobs/uploads/([^/]+)": { path: "blobs/uploads/x", opened: noUpload },
  "HEAD blobs/uploads/([^/]+)": { path: "blobs/uploads/x", opened: [404] },
  "PATCH blobs/uploads/([^/]+)": { path: "blobs/uploads/x", opened: noUpload },
  "PUT blobs/uploads/([^/]+)": { path: `blobs/uploads/x?digest=${absent}`, opened: noUpload },
  "DELETE blobs/uploads/([^/]+)": { path: "blobs/uploads/x", opened: noUpload },
  "GET blobs/([^/]*)": { path: `blobs/${layer}`, opened: [200] },
  "HEAD blobs/([^/]*)": { path: `blobs/${layer}`, opened: [200] },
  "DELETE blobs/([^/]*)": { path: `blobs/${absent}`, opened: [404, "BLOB_UNKNOWN"] },
};

/** The methods of all endpoints, and the action that each needs. */
const methods = newEndpoints({ vendor }).flatMap(({ path, methods: served }) =>
  Object.entries(served).map(([method, { actions }]) => ({
    key: `${method} ${path.source
      .replace(/^\^\(\.\*\)\\?\//, "")
      .replace(/\$$/, "")
      .replaceAll("\\/", "/")}`,
    method,
    action: actions.at(-1) ?? "",
  })),
);

test("each method of each endpoint has a row here", () => {
  expect(Object.keys(rows)).toEqual(methods.map(({ key }) => key));
});

type Repository = "a" | "b";
const repositories = ["a", "b"] as const;
const everything = ["pull", "push", "delete"];

/** A token, and the actions at the repositories that it opens. The caller may do everything in both. */
interface Kind {
  opens: Partial<Record<Repository, string[]>>;
  /** The status of every request, if the token is not one of the registry. */
  refused?: 401 | 403;
  /** The list of repositories, and the version check. */
  catalog: number;
  version: number;
}

const kinds: Record<string, Kind> = {
  "a login": { opens: { a: everything, b: everything }, catalog: 200, version: 200 },
  "a token for a": { opens: { a: everything }, catalog: 401, version: 200 },
  "a token for pulls from a": { opens: { a: ["pull"] }, catalog: 401, version: 200 },
  "a token for a and b": { opens: { a: everything, b: everything }, catalog: 401, version: 200 },
  "a token for a, and for pulls from b": {
    ...{ opens: { a: everything, b: ["pull"] }, catalog: 401, version: 200 },
  },
  "a token for no repository": { opens: {}, catalog: 401, version: 200 },
  "a token for the list of repositories": { opens: {}, catalog: 200, version: 200 },
  "an expired login": { opens: {}, refused: 401, catalog: 401, version: 401 },
  "a token for the API": { opens: {}, refused: 403, catalog: 403, version: 403 },
  "a token that anyone can get": { opens: {}, catalog: 401, version: 200 },
  "no token": { opens: {}, refused: 401, catalog: 401, version: 401 },
};

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let targets: Record<Repository, Target>;
let tokens: Record<string, string | undefined>;

beforeAll(async () => {
  registry = await startOwnRegistry({ hasS3: true });
  targets = { a: await registry.newTarget("a"), b: await registry.newTarget("b") };
  for (const target of Object.values(targets)) await pushImage(target, "latest", image);
  const all = { type: "registry", name: "catalog", actions: ["*"] };
  tokens = {
    "a login": targets.a.token,
    "a token for a": await tokenOf({ a: everything }),
    "a token for pulls from a": await tokenOf({ a: ["pull"] }),
    "a token for a and b": await tokenOf({ a: everything, b: everything }),
    "a token for a, and for pulls from b": await tokenOf({ a: everything, b: ["pull"] }),
    "a token for no repository": await tokenOf({}),
    "a token for the list of repositories": await newToken({ access: [all] }),
    "an expired login": await tokenFor(registry.owner, { aud: registryAudience }, -1),
    "a token for the API": await tokenFor(registry.owner),
    "a token that anyone can get": await newToken({ access: [] }, "anonymous"),
    "no token": undefined,
  };
});
afterAll(() => registry.stop());

const newToken = (claims: object, identity = registry.owner) =>
  tokenFor(identity, { aud: registryAudience, ...claims });

/** A token as `/token` issues it. */
const tokenOf = (named: Kind["opens"], identity?: string) => {
  const access = Object.entries(named).map(([name, actions]) => ({
    ...{ type: "repository", name: targets[name as Repository].name, actions },
  }));
  return newToken({ access }, identity);
};

/** Sends a request with a token, or without one. A 401 must have a challenge. */
async function ask(method: string, { name, origin }: Target, row: Row, token?: string) {
  const { path, body } = row;
  const answer = await fetch(`${origin}/v2/${name}/${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": manifestType }),
    },
    ...(body === undefined ? {} : { body }),
  });
  if (answer.status === 401) {
    expect(answer.headers.get("www-authenticate")).toContain(`scope="repository:${name}:`);
  }
  return outcome(answer);
}

const requestsOfAll = () =>
  methods.flatMap((one) => repositories.map((at) => ({ ...one, at, row: rows[one.key] as Row })));

test.for(Object.entries(kinds))(
  "%s opens only what it names",
  async ([kind, { opens, refused }]) => {
    for (const { key, method, action, at, row } of requestsOfAll()) {
      const [status, code] = await ask(method, targets[at], row, tokens[kind]);
      const isOpen = opens[at]?.includes(action) ?? false;
      const expected = isOpen ? row.opened : [refused ?? row.unnamed ?? 401];
      const found = isOpen && code ? [status, code] : [status];
      expect([key, at, ...found]).toEqual([key, at, ...expected]);
    }
  },
);

test("a token for a repository opens nothing for someone who has lost the role", async () => {
  const stranger = randomUid();
  await registry.run(
    `insert into identities (uid, name, last_seen_time, create_time, update_time)
     values (?, 'stranger', 1, 1, 1)`,
    stranger,
  );
  const token = await tokenOf({ a: everything, b: everything }, stranger);
  for (const { key, method, at, row } of requestsOfAll()) {
    expect([key, (await ask(method, targets[at], row, token))[0]]).toEqual([key, 403]);
  }
});

test("an entry of another type with the name of a repository opens nothing", async () => {
  const access = [{ type: "registry", name: targets.a.name, actions: [...everything, "*"] }];
  const token = await newToken({ access });
  for (const { key, method, at, row } of requestsOfAll()) {
    const [status] = await ask(method, targets[at], row, token);
    expect([key, status]).toEqual([key, row.unnamed ?? 401]);
  }
});

/** A mount into a, of a blob that only b has. */
const mounts: [from: string, kind: string, status: number][] = [
  ["b", "a login", 201],
  ["b", "a token for a", 401],
  ["b", "a token for a and b", 201],
  ["b", "a token for a, and for pulls from b", 201],
  ["", "a login", 201],
  ["", "a token for a", 202],
  ["", "a token for a and b", 201],
  ["", "a token for a, and for pulls from b", 201],
];

test.for(mounts)(
  "a mount into a from %j with %s is answered with %i",
  async ([from, kind, status]) => {
    const digest = await pushBlob(targets.b, someBytes(50));
    const source = from === "" ? "" : `&from=${targets.b.name}`;
    const row: Row = { path: `blobs/uploads/?mount=${digest}${source}`, opened: [201] };
    expect((await ask("POST", targets.a, row, tokens[kind]))[0]).toBe(status);
    const [read] = await outcome(send(targets.a, `blobs/${digest}`));
    expect(read).toBe(status === 201 ? 200 : 404);
  },
);

test.for(Object.entries(kinds))(
  "%s opens the version check and the list of repositories only if it is for them",
  async ([kind, { version, catalog }]) => {
    const ofPath = async (path: string) => {
      const token = tokens[kind];
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(registry.origin + path, { headers })).status;
    };
    expect([await ofPath("/v2/"), await ofPath("/v2/_catalog")]).toEqual([version, catalog]);
  },
);
