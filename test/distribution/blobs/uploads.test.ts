/** Uploads of blobs in every form, and everything that can be wrong with them. */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { newIdentity } from "../../world/personas.ts";
import { baseUrl, sql } from "../../world/platform.ts";
import { long, tiers } from "../../world/tiers.ts";
import {
  begin,
  digestOf,
  end,
  newTarget,
  outcome,
  pushBlob,
  send,
  sendChunk,
  someBytes,
  type Target,
} from "../client.ts";
import { registryToken } from "../stored_images.ts";

const MiB = 1024 * 1024;
/** The size of a part in R2 (src/distribution/blobs/receive.ts). */
const part = 8 * MiB;

const readBlob = async (target: Target, digest: string) =>
  new Uint8Array(await (await send(target, `blobs/${digest}`)).arrayBuffer());

const expectBlob = async (target: Target, bytes: Uint8Array, algorithm = "sha256") => {
  const digest = digestOf(bytes, algorithm);
  expect(digestOf(await readBlob(target, digest), algorithm)).toBe(digest);
  const head = await send(target, `blobs/${digest}`, { method: "HEAD" });
  expect(head.headers.get("content-length")).toBe(String(bytes.length));
  expect(head.headers.get("docker-content-digest")).toBe(digest);
};

/** Whether the image has the blob. */
const has = async (target: Target, digest: string) =>
  (await send(target, `blobs/${digest}`, { method: "HEAD" })).status === 200;

test("a new upload says where to send it, and that no byte has arrived", async () => {
  const target = await newTarget();
  const answer = await send(target, "blobs/uploads/", { method: "POST" });
  expect(answer.status).toBe(202);
  expect(answer.headers.get("location")).toMatch(
    new RegExp(`^/v2/${target.name}/blobs/uploads/[0-9a-f]{32}$`),
  );
  expect(answer.headers.get("range")).toBe("0-0");
});

/** Sizes around the borders of parts: the last part may have any size, and all others have the same. */
const sizes = [0, 1, 1000, part - 1, part, part + 1, 2 * part + 12345];

/** The algorithms of digests. Chunks that need both take long, so the quick tier tries one of them. */
const algorithms = ["sha256", "sha512"] as const;

type Bytes = ReturnType<typeof someBytes>;

/** The ways to send a whole blob. Each returns the response of its end. */
const ways: Record<string, (target: Target, bytes: Bytes) => Promise<Response>> = {
  "one POST": (target, body) =>
    send(target, `blobs/uploads/?digest=${digestOf(body)}`, { method: "POST", body }),
  "a POST and a PUT": async (target, bytes) =>
    end(target, await begin(target), digestOf(bytes), bytes),
  "a stream of unknown length": async (target, bytes) => {
    const location = await begin(target);
    const body = new Blob([bytes]).stream();
    const streamed = await send(target, location, { method: "PATCH", body });
    expect(streamed.status).toBe(202);
    return end(target, location, digestOf(bytes));
  },
};

describe("a blob has the same bytes again", () => {
  const rows = Object.keys(ways).flatMap((way) =>
    sizes.map((size): [number, string] => [size, way]),
  );
  for (const [some, tier] of tiers(
    rows,
    ([, way]) => way,
    ([size]) => String(size),
  ))
    test.for(some)("%i bytes in %s", tier, async ([size, way]) => {
      const target = await newTarget();
      const bytes = someBytes(size);
      const answer = await ways[way]?.(target, bytes);
      expect(answer?.status).toBe(201);
      expect(answer?.headers.get("location")).toBe(`/v2/${target.name}/blobs/${digestOf(bytes)}`);
      await expectBlob(target, bytes);
    });

  const inChunks = [
    ["small chunks", [1, 63, 64, 65, 1000]],
    ["chunks that end within parts", [5 * MiB, 5 * MiB, 5 * MiB, 1]],
    ["chunks as large as parts", [part, part, part]],
    ["one chunk larger than a part", [part + 5, 3]],
    ["one chunk", [100]],
  ] as const;
  const sum = (lengths: readonly number[]) => lengths.reduce((total, length) => total + length, 0);
  /** How many parts they fill. */
  const partsOf = ([, lengths]: (typeof inChunks)[number]) =>
    String(Math.ceil(sum(lengths) / part));
  for (const [some, tier] of tiers(inChunks, partsOf))
    test.for(some)("%s", tier, async ([, lengths]) => {
      const target = await newTarget();
      const total = sum(lengths);
      const bytes = someBytes(total);
      const location = await begin(target);
      let at = 0;
      for (const length of lengths) {
        const answer = await sendChunk(target, location, bytes.subarray(at, at + length), at);
        at += length;
        expect(answer.status).toBe(202);
        expect(answer.headers.get("range")).toBe(`0-${at - 1}`);
      }
      const status = await send(target, location);
      expect([status.status, status.headers.get("range")]).toEqual([204, `0-${total - 1}`]);
      expect(await outcome(end(target, location, digestOf(bytes)))).toEqual([201]);
      await expectBlob(target, bytes);
    });

  for (const [some, tier] of tiers(algorithms, () => "one"))
    test.for(some)(
      "chunks with the last one in the PUT, and a digest in %s",
      tier,
      async (algorithm) => {
        const target = await newTarget();
        const bytes = someBytes(part + 3000);
        const location = await begin(target);
        await sendChunk(target, location, bytes.subarray(0, 2000), 0);
        await sendChunk(target, location, bytes.subarray(2000, part), 2000);
        const digest = digestOf(bytes, algorithm);
        const last = bytes.subarray(part);
        expect(await outcome(end(target, location, digest, last))).toEqual([201]);
        await expectBlob(target, bytes, algorithm);
      },
    );

  test("streams one after the other, without a Content-Range", async () => {
    const target = await newTarget();
    const bytes = someBytes(part + 10);
    const location = await begin(target);
    await sendChunk(target, location, bytes.subarray(0, 10));
    await sendChunk(target, location, bytes.subarray(10));
    expect(await outcome(end(target, location, digestOf(bytes)))).toEqual([201]);
    await expectBlob(target, bytes);
  });
});

describe("wrong bytes are refused, and nothing is stored", () => {
  for (const [some, tier] of tiers([0, 100, part, part + 100], () => "one"))
    test.for(some)("%i bytes in one POST", tier, async (size) => {
      const target = await newTarget();
      const digest = digestOf("other bytes");
      const path = `blobs/uploads/?digest=${digest}`;
      const answer = send(target, path, { method: "POST", body: someBytes(size) });
      expect(await outcome(answer)).toEqual([400, "DIGEST_INVALID"]);
      expect(await has(target, digest)).toBe(false);
    });

  for (const [some, tier] of tiers(algorithms, () => "one"))
    test.for(some)("chunks, with a digest in %s", tier, async (algorithm) => {
      const target = await newTarget();
      const location = await begin(target);
      await sendChunk(target, location, someBytes(part + 1), 0);
      await sendChunk(target, location, someBytes(10), part + 1);
      const digest = digestOf("other bytes", algorithm);
      expect(await outcome(end(target, location, digest))).toEqual([400, "DIGEST_INVALID"]);
      expect(await has(target, digest)).toBe(false);
      expect(await outcome(send(target, location))).toEqual([404, "BLOB_UPLOAD_UNKNOWN"]);
    });

  test.for(["sha256:abc", "md5:d41d8cd98f00b204e9800998ecf8427e", "", `sha256:${"A".repeat(64)}`])(
    "the digest %j",
    async (digest) => {
      const target = await newTarget();
      const location = await begin(target);
      expect(await outcome(end(target, location, digest, someBytes(5)))).toEqual([
        400,
        "DIGEST_INVALID",
      ]);
      const path = `blobs/uploads/?digest=${digest}`;
      const posted = send(target, path, { method: "POST", body: someBytes(5) });
      expect(await outcome(posted)).toEqual([400, "DIGEST_INVALID"]);
    },
  );

  test("a PUT without a digest", async () => {
    const target = await newTarget();
    const location = await begin(target);
    expect(await outcome(send(target, location, { method: "PUT", body: "x" }))).toEqual([
      400,
      "QUERY_INVALID",
    ]);
  });
});

describe("a chunk that does not begin where the upload ends is refused with 416, and the upload can continue", () => {
  test.for([
    ["from the beginning again", 0],
    ["with a gap", 11],
  ] as const)("%s", async ([, first]) => {
    const target = await newTarget();
    const bytes = someBytes(20);
    const location = await begin(target);
    await sendChunk(target, location, bytes.subarray(0, 10), 0);
    const wrong = await sendChunk(target, location, bytes.subarray(0, 5), first);
    expect(wrong.headers.get("range")).toBe("0-9");
    expect(wrong.headers.get("location")).toBe(location);
    expect(await outcome(wrong)).toEqual([416, "BLOB_UPLOAD_INVALID"]);
    await sendChunk(target, location, bytes.subarray(10), 10);
    expect(await outcome(end(target, location, digestOf(bytes)))).toEqual([201]);
  });

  test("the same chunk twice at the same time counts once", async () => {
    const target = await newTarget();
    const bytes = someBytes(part + 1000);
    const location = await begin(target);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => sendChunk(target, location, bytes.subarray(0, part), 0)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([202, 416, 416, 416]);
    await sendChunk(target, location, bytes.subarray(part), part);
    expect(await outcome(end(target, location, digestOf(bytes)))).toEqual([201]);
    await expectBlob(target, bytes);
  });
});

test.for([
  ["x-y", 400],
  ["5-4", 416],
  ["0-9", 400],
  ["0-3", 400],
] as const)(
  "the Content-Range %s of a chunk with 5 bytes is refused with %i",
  async ([range, status]) => {
    const target = await newTarget();
    const location = await begin(target);
    const headers = { "content-range": range };
    const answer = send(target, location, { method: "PATCH", body: someBytes(5), headers });
    expect(await outcome(answer)).toEqual([status, "BLOB_UPLOAD_INVALID"]);
    const { headers: left } = await send(target, location);
    expect(left.get("range")).toBe("0-0");
  },
);

test("an upload is unknown to another caller, in another repository, and after its end", async () => {
  const target = await newTarget();
  const location = await begin(target);
  const { uid } = await newIdentity(target.organization, "registry.push");
  const other = { ...target, token: await registryToken(uid) };
  const unknown = [404, "BLOB_UPLOAD_UNKNOWN"];
  expect(await outcome(sendChunk(other, location, someBytes(3)))).toEqual(unknown);
  const elsewhere = { ...target, name: `${target.organization.uid}/elsewhere` };
  const moved = location.replace(target.name, elsewhere.name);
  await begin(elsewhere);
  expect(await outcome(sendChunk(elsewhere, moved, someBytes(3)))).toEqual(unknown);
  expect(await outcome(send(target, location, { method: "DELETE" }))).toEqual([204]);
  expect(await outcome(sendChunk(target, location, someBytes(3)))).toEqual(unknown);
  expect(await outcome(send(target, "blobs/uploads/nothing"))).toEqual(unknown);
});

test("a role that was removed stops the next request of an upload", async () => {
  const target = await newTarget();
  const location = await begin(target);
  expect(await outcome(sendChunk(target, location, someBytes(3), 0))).toEqual([202]);
  await sql(
    "delete from role_bindings where parent = ? and identity_uid like ?",
    target.organization.uid,
    `${target.organization.uid}/%`,
  );
  expect(await outcome(sendChunk(target, location, someBytes(3), 3))).toEqual([403, "DENIED"]);
  expect((await outcome(end(target, location, digestOf("x"))))[0]).toBe(403);
});

/** Sends the beginning of a request, and closes the connection. */
async function sendCut({ token }: Target, path: string, method: string, bytes: Uint8Array) {
  const { hostname, port } = new URL(baseUrl());
  const socket = connect(Number(port), hostname);
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\ncontent-length: ${bytes.length * 2}\r\n\r\n`;
  await new Promise<void>((done) => socket.write(head, () => done()));
  await new Promise<void>((done) => socket.write(bytes, () => done()));
  await pause(100);
  socket.destroy();
  await pause(100);
}

test.for([1, 100_000, part + 1])(
  "a connection that is cut after %i bytes of a chunk leaves the upload as it was",
  async (size) => {
    const target = await newTarget();
    const bytes = someBytes(size + 50);
    const location = await begin(target);
    await sendChunk(target, location, bytes.subarray(0, 50), 0);
    await sendCut(target, location, "PATCH", someBytes(size));
    const digest = digestOf(bytes);
    await sendCut(target, `${location}?digest=${digest}`, "PUT", someBytes(size));
    expect((await send(target, location)).headers.get("range")).toBe("0-49");
    const last = bytes.subarray(50);
    expect(await outcome(end(target, location, digest, last))).toEqual([201]);
    await expectBlob(target, bytes);
  },
);

test("fifty pushes of the same blob at the same time store it once", async () => {
  const target = await newTarget();
  const bytes = someBytes(50_000);
  const digest = digestOf(bytes);
  const pushes = Array.from({ length: 50 }, (_, index) =>
    pushBlob({ ...target, name: `${target.organization.uid}/image-${index % 5}` }, bytes),
  );
  expect(new Set(await Promise.all(pushes))).toEqual(new Set([digest]));
  const hex = digest.slice(7);
  const [stored] = await sql("select count(*) as n from blobs where digest = unhex(?)", hex);
  expect(stored).toEqual({ n: 1 });
  const [links] = await sql(
    "select count(*) as n from blob_links where blob_id = (select id from blobs where digest = unhex(?))",
    hex,
  );
  expect(links).toEqual({ n: 5 });
  const [used] = await sql(
    "select bytes from organization_storage where uid = ?",
    target.organization.uid,
  );
  expect(used).toEqual({ bytes: bytes.length });
});

for (const [size, tier] of [
  [25, {}],
  [40, long],
] as const)
  test(`an upload of ${size} MiB has at most two parts in memory`, tier, async () => {
    const target = await newTarget();
    const bytes = someBytes(size * MiB);
    const location = await begin(target);
    const streamed = await send(target, location, {
      method: "PATCH",
      body: new Blob([bytes]).stream(),
    });
    const [, most = ""] =
      /most_pending=(\d+)/.exec(streamed.headers.get("server-timing") ?? "") ?? [];
    expect(Number(most)).toBeGreaterThanOrEqual(part);
    expect(Number(most)).toBeLessThanOrEqual(2 * part);
    expect(await outcome(end(target, location, digestOf(bytes)))).toEqual([201]);
  });
