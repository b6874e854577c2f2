/** Blobs of a repository: reading, deleting, and mounting them from another repository. */
import { describe, expect, test } from "vitest";
import { newContractCaller } from "../../contract/fixtures.ts";
import { newIdentity, randomName } from "../../world/personas.ts";
import { costOf, sql } from "../../world/platform.ts";
import {
  digestOf,
  newPusher,
  newTarget,
  outcome,
  pushBlob,
  pushImage,
  send,
  someBytes,
} from "../client.ts";
import { askToken, registryToken } from "../stored_images.ts";

test.for([
  ["bytes=0-0", 206, 0, 1],
  ["bytes=10-19", 206, 10, 10],
  ["bytes=90-", 206, 90, 10],
  ["bytes=90-1000", 206, 90, 10],
  ["bytes=-10", 206, 90, 10],
  ["bytes=-1000", 206, 0, 100],
  ["bytes=0-4,10-14", 200, 0, 100],
  ["bytes=x", 200, 0, 100],
  ["lines=1-2", 200, 0, 100],
] as const)(
  "the range %s of 100 bytes has the status %i",
  async ([range, status, offset, length]) => {
    const target = await newTarget();
    const bytes = someBytes(100);
    const digest = await pushBlob(target, bytes);
    const answer = await send(target, `blobs/${digest}`, { headers: { range } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-length")).toBe(String(length));
    expect(answer.headers.get("content-range")).toBe(
      status === 206 ? `bytes ${offset}-${offset + length - 1}/100` : null,
    );
    const read = new Uint8Array(await answer.arrayBuffer());
    expect(read).toEqual(bytes.slice(offset, offset + length));
  },
);

test.for(["bytes=100-", "bytes=100-200", "bytes=5-4", "bytes=-0"])(
  "the range %s of 100 bytes is refused with 416 and the size",
  async (range) => {
    const target = await newTarget();
    const digest = await pushBlob(target, someBytes(100));
    const answer = await send(target, `blobs/${digest}`, { headers: { range } });
    expect(answer.headers.get("content-range")).toBe("bytes */100");
    expect(await outcome(answer)).toEqual([416, "RANGE_INVALID"]);
  },
);

test.for([
  ["its entity tag", (etag: string) => etag, 206],
  ["another entity tag", () => '"other"', 200],
  ["its entity tag, but weak", (etag: string) => `W/${etag}`, 200],
  ["its entity tag without quotes", (etag: string) => etag.slice(1, -1), 200],
  ["its entity tag in a list", (etag: string) => `"other", ${etag}`, 200],
  ["a wildcard", () => "*", 200],
  ["a date", () => "Tue, 01 Jan 2030 00:00:00 GMT", 200],
] as const)("If-Range with %s: the range of a blob has the status", async ([, known, status]) => {
  const target = await newTarget();
  const bytes = someBytes(100);
  const digest = await pushBlob(target, bytes);
  const read = async (range: string) => {
    const headers = { range, "if-range": known(`"${digest}"`) };
    const answer = await send(target, `blobs/${digest}`, { headers });
    return { answer, read: new Uint8Array(await answer.arrayBuffer()) };
  };
  const part = await read("bytes=10-19");
  expect(part.answer.status).toBe(status);
  expect(part.read).toEqual(status === 206 ? bytes.slice(10, 20) : bytes);
  const outside = await read("bytes=100-");
  expect(outside.answer.status).toBe(status === 206 ? 416 : 200);
});

test("a HEAD ignores Range and If-Range", async () => {
  const target = await newTarget();
  const digest = await pushBlob(target, someBytes(100));
  for (const range of ["bytes=0-9", "bytes=100-"]) {
    const headers = { range, "if-range": `"${digest}"` };
    const answer = await send(target, `blobs/${digest}`, { method: "HEAD", headers });
    expect([answer.status, answer.headers.get("content-length")]).toEqual([200, "100"]);
    expect(answer.headers.get("content-range")).toBe(null);
  }
});

test("a client that has the blob gets 304, and R2 is not read", async () => {
  const target = await newTarget();
  const digest = await pushBlob(target, someBytes(100));
  const first = await send(target, `blobs/${digest}`);
  const etag = first.headers.get("etag") ?? "";
  await first.arrayBuffer();
  for (const known of [etag, `"other", W/${etag}`, "*"]) {
    const answer = await send(target, `blobs/${digest}`, { headers: { "if-none-match": known } });
    expect(answer.status).toBe(304);
    expect(answer.headers.get("server-timing")).toContain("reads=0");
  }
  const changed = await send(target, `blobs/${digest}`, { headers: { "if-none-match": '"x"' } });
  expect(changed.status).toBe(200);
});

test("HEAD of a blob takes one round trip to D1 and none to R2", async () => {
  const target = await newTarget();
  const digest = await pushBlob(target, someBytes(100));
  const answer = await send(target, `blobs/${digest}`, { method: "HEAD" });
  expect(costOf(answer).roundTrips).toBe(1);
  expect(answer.headers.get("server-timing")).toContain("reads=0");
});

describe("a blob of another organization", () => {
  test("has the same response as a blob that does not exist", async () => {
    const theirs = await newTarget();
    const digest = await pushBlob(theirs, someBytes(100));
    const ours = await newTarget();
    await pushBlob(ours, someBytes(3));
    const nowhere = digestOf(someBytes(9));
    const read = async (path: string, method: string) => {
      const answer = await send(ours, path, { method });
      const text = (await answer.text()).replaceAll(/sha256:[0-9a-f]{64}|"requestId":"[^"]*"/g, "");
      const location = answer.headers.get("location")?.replace(/[0-9a-f]{32}$/, "");
      return { status: answer.status, text, location };
    };
    for (const method of ["GET", "HEAD", "DELETE"]) {
      const other = await read(`blobs/${digest}`, method);
      expect(other).toEqual(await read(`blobs/${nowhere}`, method));
      expect(other.status).toBe(404);
    }
    for (const from of ["", `&from=${theirs.name}`, `&from=${ours.organization.uid}/nothing`]) {
      const mount = await read(`blobs/uploads/?mount=${digest}${from}`, "POST");
      expect(mount).toEqual(await read(`blobs/uploads/?mount=${nowhere}${from}`, "POST"));
      expect(mount.status).toBe(202);
    }
  });

  test("is stored once, and each organization counts it", async () => {
    const bytes = someBytes(1000);
    const targets = [await newTarget(), await newTarget()];
    for (const target of targets) await pushBlob(target, bytes);
    const [{ n }] = (await sql<{ n: number }>(
      "select organizations as n from blobs where digest = unhex(?)",
      digestOf(bytes).slice(7),
    )) as [{ n: number }];
    expect(n).toBe(2);
    for (const { organization } of targets) {
      expect(
        await sql("select bytes from organization_storage where uid = ?", organization.uid),
      ).toEqual([{ bytes: 1000 }]);
    }
  });
});

describe("a mount", () => {
  test("links the blob without its bytes", async () => {
    const source = await newTarget();
    const digest = await pushBlob(source, someBytes(100));
    const target = { ...source, name: `${source.organization.uid}/${randomName("copy")}` };
    const path = `blobs/uploads/?mount=${digest}&from=${source.name}`;
    const answer = await send(target, path, { method: "POST" });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/v2/${target.name}/blobs/${digest}`);
    expect((await send(target, `blobs/${digest}`)).status).toBe(200);
  });

  test("without a source finds the blob anywhere in the organization, if the caller can pull everywhere", async () => {
    const source = await newTarget();
    const digest = await pushBlob(source, someBytes(100));
    const { organization } = source;
    const path = `blobs/uploads/?mount=${digest}`;
    const target = { ...source, name: `${organization.uid}/${randomName("copy")}` };
    expect(await outcome(send(target, path, { method: "POST" }))).toEqual([201]);
    const [{ parent }] = (await sql(
      "select parent from repos where uid like ? limit 1",
      `${organization.uid}/%`,
    )) as [{ parent: string }];
    expect(parent).toBe(organization.uid);
  });

  const existing = digestOf("exists");
  const odd: [mount: string, from: string][] = [
    ...["UPPER/x", "a b/c", 'a"b/c', "https://example.com/a/b", "ubuntu", "ö/x", "/", "a//b"].map(
      (from): [string, string] => [existing, from],
    ),
    [existing, `a/${"x".repeat(500)}`],
    ...["", "sha256:bad", "latest", "md5:d41d8cd98f00b204e9800998ecf8427e"].flatMap(
      (mount): [string, string][] => [
        [mount, ""],
        [mount, "a/b"],
      ],
    ),
  ];

  test.for(odd)(
    "of the digest %j from %j begins an upload, and without a login it is 401",
    async ([mount, from]) => {
      const target = await newTarget();
      await pushBlob(target, "exists");
      const query = new URLSearchParams({ mount, ...(from === "" ? {} : { from }) });
      const path = `blobs/uploads/?${query}`;
      const narrow = await askToken(`repository:${target.name}:pull,push`, target.token);
      for (const token of [target.token, narrow.body.token]) {
        const begun = send({ ...target, token }, path, { method: "POST" });
        expect(await outcome(begun)).toEqual([202]);
      }
      const headers = { authorization: "" };
      const anonymous = await send(target, path, { method: "POST", headers });
      const own = `repository:${target.name}:pull,push`;
      const other = ["a/b", "ubuntu"].includes(from) ? ` repository:${from}:pull` : "";
      expect(anonymous.headers.get("www-authenticate")).toContain(`scope="${own}${other}"`);
      expect(await outcome(anonymous)).toEqual([401, "UNAUTHORIZED"]);
    },
  );

  test("asks for a token with both scopes if the caller can pull the source", async () => {
    const source = await newTarget();
    const digest = await pushBlob(source, someBytes(100));
    const target = { ...source, name: `${source.organization.uid}/${randomName("copy")}` };
    const narrow = await askToken(`repository:${target.name}:pull,push`, source.token);
    const path = `blobs/uploads/?mount=${digest}&from=${source.name}`;
    const refused = await send({ ...target, token: narrow.body.token }, path, { method: "POST" });
    expect(refused.status).toBe(401);
    const scope = `repository:${target.name}:pull,push repository:${source.name}:pull`;
    expect(refused.headers.get("www-authenticate")).toContain(
      `scope="${scope}",error="insufficient_scope"`,
    );
    const wide = await askToken(scope, source.token);
    const mounted = send({ ...target, token: wide.body.token }, path, { method: "POST" });
    expect(await outcome(mounted)).toEqual([201]);
  });
});

test("a blob that a manifest needs cannot be deleted, and without the manifest it can", async () => {
  const target = await newTarget();
  const { layer, digest } = await pushImage(target, "latest");
  const path = `blobs/${digestOf(layer)}`;
  expect(await outcome(send(target, path, { method: "DELETE" }))).toEqual([405, "UNSUPPORTED"]);
  expect((await send(target, path)).status).toBe(200);
  expect(await outcome(send(target, `manifests/${digest}`, { method: "DELETE" }))).toEqual([202]);
  expect(await outcome(send(target, path, { method: "DELETE" }))).toEqual([202]);
  expect(await outcome(send(target, path))).toEqual([404, "BLOB_UNKNOWN"]);
});

test("a caller who can only pull can neither push nor delete", async () => {
  const target = await newTarget();
  const { layer, text } = await pushImage(target, "latest");
  const { uid } = await newIdentity(target.organization, "registry.pull");
  const reader = { ...target, token: await registryToken(uid) };
  const denied = [403, "DENIED"];
  const attempts: [string, string][] = [
    ["POST", "blobs/uploads/"],
    ["PATCH", "blobs/uploads/x"],
    ["DELETE", `blobs/${digestOf(layer)}`],
    ["PUT", "manifests/latest"],
    ["DELETE", "manifests/latest"],
  ];
  for (const [method, path] of attempts) {
    const body = method === "PUT" ? { body: text } : {};
    expect(await outcome(send(reader, path, { method, ...body }))).toEqual(denied);
  }
  expect((await send(reader, "manifests/latest")).status).toBe(200);
});

test("a first push needs repo.create, and without it nothing is created", async () => {
  const { organization } = await newPusher();
  const { uid } = await newContractCaller(organization.uid, [1605, 1613, 1607, 1611]);
  const target = { name: `${organization.uid}/new`, token: await registryToken(uid) };
  const answer = await send(target, "blobs/uploads/", { method: "POST" });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain("repo.create");
  expect(await sql("select uid from repos where parent = ?", organization.uid)).toEqual([]);
});

test("a group has an address by its uid, even if its name is not valid in an image name", async () => {
  const { organization, token } = await newPusher();
  const [group] = await sql<{ uid: string }>(
    `insert into groups (uid, name, create_time, update_time)
     values (? || '/' || lower(hex(randomblob(8))), 'Team A (Berlin)', 1, 1) returning uid`,
    organization.uid,
  );
  const step = group?.uid.split("/")[1];
  const target = { token, name: `${organization.uid}/${step}/tool` };
  await pushImage(target, "latest");
  const stored = await sql("select name, parent from repos where parent = ?", group?.uid);
  expect(stored).toEqual([{ name: "tool", parent: group?.uid }]);
  expect((await send(target, "manifests/latest")).status).toBe(200);
});

test("names outside the grammar are refused before anything is looked up", async () => {
  const { token } = await newPusher();
  for (const name of ["Org/image", "image", "a//b", "a/../b", `a/${"x".repeat(500)}`]) {
    const answer = await send({ name, token }, `/v2/${encodeURIComponent(name)}/blobs/uploads/`, {
      method: "POST",
    });
    expect(await outcome(answer)).toEqual([400, "NAME_INVALID"]);
  }
});
