/** Pushes while R2 fails, and while the clean-up runs between the steps of one request. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { long } from "../world/tiers.ts";
import {
  begin,
  digestOf,
  newImageOf,
  outcome,
  pullImage,
  pushBlob,
  pushImage,
  send,
  sendChunk,
  someBytes,
  type Target,
} from "./client.ts";
import { interference } from "./interference.ts";
import { startOwnRegistry } from "./own_registry.ts";

const part = 8 * 1024 * 1024;

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
beforeAll(async () => {
  registry = await startOwnRegistry({ wrapper: interference, log: () => {} });
});
afterAll(() => registry.stop());

let target: Target;
let repositories = 0;
beforeEach(async () => {
  repositories += 1;
  target = await registry.newTarget(`image-${repositories}`);
});

/**
 * Sends a request again and again, with another call to R2 failing each time, until none fails. Returns the
 * number of failures. Each of them must be a 503.
 */
async function failEach(request: (headers: Record<string, string>) => Promise<Response>) {
  for (let call = 1; ; call += 1) {
    const answer = await request({ "x-fail-r2": String(call) });
    if (answer.status !== 503) {
      expect(answer.status).toBeLessThan(300);
      return call - 1;
    }
    expect(await outcome(answer)).toEqual([503, "UNAVAILABLE"]);
  }
}

/** R2 gets a large body whose length is known in one call, and any other in parts. */
const bodies = [
  ["of a known length", (bytes: Uint8Array) => bytes, 1],
  ["of an unknown length", (bytes: Uint8Array) => new Blob([bytes as BlobPart]).stream(), 3],
] as const;

describe("if a call to R2 fails, the client can send the request again", () => {
  test.each(bodies)("for a chunk and the end of an upload, %s", long, async (_, body, calls) => {
    const bytes = someBytes(3 * part + 100);
    const location = await begin(target);
    await sendChunk(target, location, bytes.subarray(0, 100), 0);
    const chunk = bytes.subarray(100, 2 * part + 50);
    const inChunk = await failEach((headers) =>
      send(target, location, {
        method: "PATCH",
        body: body(chunk),
        headers: { ...headers, "content-range": `100-${99 + chunk.length}` },
      }),
    );
    // The first bytes of the upload are read again.
    expect(inChunk).toBeGreaterThanOrEqual(1 + calls);
    const digest = digestOf(bytes);
    const atEnd = await failEach((headers) =>
      send(target, `${location}?digest=${digest}`, {
        method: "PUT",
        body: body(bytes.subarray(2 * part + 50)),
        headers,
      }),
    );
    expect(atEnd).toBeGreaterThanOrEqual(calls);
    const blob = await send(target, `blobs/${digest}`);
    expect(digestOf(new Uint8Array(await blob.arrayBuffer()))).toBe(digest);
  });

  test.each(bodies)(
    "for a blob %s, and a digest that is computed at the end",
    async (_, body, calls) => {
      const bytes = someBytes(part + 7);
      const digest = digestOf(bytes, "sha512");
      const posted = await failEach((headers) =>
        send(target, `blobs/uploads/?digest=${digest}`, {
          method: "POST",
          body: body(bytes),
          headers,
        }),
      );
      expect(posted).toBeGreaterThanOrEqual(calls);
      const more = someBytes(part + 9);
      const location = await begin(target);
      await sendChunk(target, location, more, 0);
      const path = `${location}?digest=${digestOf(more, "sha512")}`;
      expect(
        await failEach((headers) => send(target, path, { method: "PUT", headers })),
      ).toBeGreaterThanOrEqual(1);
    },
  );

  test("for a large manifest and for a pull", async () => {
    const image = newImageOf({ annotations: { long: "x".repeat(100_000) } });
    await pushBlob(target, image.layer);
    await pushBlob(target, image.config);
    const type = { "content-type": "application/vnd.oci.image.manifest.v1+json" };
    const put = await failEach((headers) =>
      send(target, "manifests/latest", {
        method: "PUT",
        body: image.text,
        headers: { ...type, ...headers },
      }),
    );
    expect(put).toBe(2);
    expect(await failEach((headers) => send(target, "manifests/latest", { headers }))).toBe(1);
    expect(
      await failEach((headers) => send(target, `blobs/${digestOf(image.layer)}`, { headers })),
    ).toBe(1);
    expect(await pullImage(target, "latest")).toEqual(image);
  });

  test("and the objects of the failures are deleted in the end", async () => {
    await registry.run("update uploads set update_time = update_time - 8 * 86400000");
    await registry.runSchedule();
    await registry.run("update objects set idle_time = 1 where idle_time > 0");
    await registry.runSchedule();
    const named = await registry.run<{ key: string }>("select key from objects");
    expect((await registry.listObjects()).sort()).toEqual(named.map(({ key }) => key).sort());
  });
});

test.for([1, 2, 3, 4, 5, 6])(
  "a manifest is accepted only with its blobs, if the clean-up runs before batch %i of its push",
  async (batch) => {
    const image = newImageOf();
    await pushImage(target, "other");
    await pushBlob(target, image.layer);
    await pushBlob(target, image.config);
    const answer = await send(target, "manifests/latest", {
      method: "PUT",
      body: image.text,
      headers: {
        "content-type": "application/vnd.oci.image.manifest.v1+json",
        "x-clean-before": String(batch),
      },
    });
    if (answer.status === 201) expect(await pullImage(target, "latest")).toEqual(image);
    else expect(await outcome(answer)).toEqual([404, "MANIFEST_BLOB_UNKNOWN"]);
    await pushImage(target, "latest", image);
    expect(await pullImage(target, "latest")).toEqual(image);
  },
);

test.for([1, 2, 3, 4, 5, 6])(
  "a blob that an upload or a mount returns is there, if the clean-up runs before batch %i",
  async (batch) => {
    const headers = { "x-clean-before": String(batch) };
    const bytes = someBytes(100);
    const digest = digestOf(bytes);
    await pushBlob(target, bytes);
    const other = { ...target, name: `${target.name}-other` };
    for (const query of [`?digest=${digest}`, `?mount=${digest}&from=${target.name}`]) {
      const answer = await send(other, `blobs/uploads/${query}`, {
        method: "POST",
        headers,
        ...(query.startsWith("?digest") ? { body: bytes } : {}),
      });
      expect([201, 202]).toContain(answer.status);
      if (answer.status === 201) expect((await send(other, `blobs/${digest}`)).status).toBe(200);
    }
  },
);
