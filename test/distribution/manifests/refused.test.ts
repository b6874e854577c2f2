/** Manifests that the registry refuses. It stores no part of them. */
import { describe, expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import {
  descriptorOf,
  digestOf,
  indexType,
  layerType,
  manifestType,
  newImageOf,
  newTarget,
  outcome,
  pushBlob,
  pushImage,
  putManifest,
  send,
} from "../client.ts";
import { eventsOf, repoOf } from "../stored_rows.ts";

describe("a manifest is refused", () => {
  const { text } = newImageOf();
  const refused: [string, string | Uint8Array, type?: string, status?: number, code?: string][] = [
    ["that is not JSON", "{"],
    ["that is not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d])],
    ["that is a list", "[]"],
    ["with schema version 1", '{"schemaVersion":1}'],
    ["without a config", `{"schemaVersion":2,"mediaType":"${manifestType}"}`],
    ["with null in place of its config", `{"schemaVersion":2,"config":null,"layers":null}`],
    ["of another media type than its content", text, indexType],
    ["of an unknown media type", '{"schemaVersion":2}', "application/json"],
    ["with a bad digest", text.replaceAll("sha256:", "md5:")],
    ["with missing blobs", text, manifestType, 404, "MANIFEST_BLOB_UNKNOWN"],
    ["of 5 MiB", "x".repeat(5 * 1024 * 1024), manifestType, 413, "SIZE_INVALID"],
  ];
  test.for(refused)("%s", async ([, body, type, status = 400, code = "MANIFEST_INVALID"]) => {
    const target = await newTarget();
    await pushBlob(target, "{}");
    expect(await outcome(putManifest(target, "latest", body, type))).toEqual([status, code]);
    const repo = await repoOf(target);
    expect(await sql("select uid from tags where parent = ?", repo)).toEqual([]);
    expect(await sql("select uid from manifests where parent = ?", repo)).toEqual([]);
    const event = (await eventsOf(target)).at(-1);
    expect(event?.type).toBe("dev.vendor.registry.push.v1");
    expect(JSON.parse(event?.data ?? "{}").body.error).toMatchObject({ status, code });
  });

  test("whose digest is not the one in the path", async () => {
    const target = await newTarget();
    const image = await pushImage(target, "latest");
    const other = digestOf("other");
    expect(await outcome(putManifest(target, other, image.text))).toEqual([400, "DIGEST_INVALID"]);
    expect((await send(target, `manifests/${other}`)).status).toBe(404);
  });

  test("whose blob has another size", async () => {
    const target = await newTarget();
    const image = newImageOf();
    await pushBlob(target, image.layer);
    await pushBlob(target, image.config);
    const wrong = image.text.replace('"size":100', '"size":101');
    expect(await outcome(putManifest(target, "latest", wrong))).toEqual([400, "SIZE_INVALID"]);
  });

  test.for(["-x", ".x", "x".repeat(129), "a%20b", "sha256:abc"])(
    "with the reference %s",
    async (reference) => {
      const target = await newTarget();
      const code = reference.includes(":") ? "DIGEST_INVALID" : "TAG_INVALID";
      expect(await outcome(putManifest(target, reference, newImageOf().text))).toEqual([400, code]);
    },
  );

  test("that names more than 2000 blobs", async () => {
    const target = await newTarget();
    const layers = Array.from({ length: 2000 }, (_, n) => descriptorOf(String(n), layerType));
    const { text } = newImageOf({ layers });
    expect(await outcome(putManifest(target, "latest", text))).toEqual([400, "MANIFEST_INVALID"]);
  });
});
