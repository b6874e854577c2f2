/** The Worker that transfers are compared with: it streams bodies to R2 and back, and does nothing else. */
import { partSize } from "../../src/distribution/blobs/object_writer.ts";
import type { ExtraWorker } from "../stage.ts";

/**
 * Stores the body of a PUT at its path, and returns it for a GET. It sends R2 parts of the same size as the platform,
 * and also fills one part while the previous one is on its way. It checks no token, computes no digest and does not use D1.
 */
export const bareStorage: ExtraWorker = {
  name: "bare-storage",
  bucket: "bare-blobs",
  bindings: { PART_SIZE: partSize },
  script: `
async function receive(body, bucket, key, partSize) {
  const upload = await bucket.createMultipartUpload(key);
  const reader = body.getReader({ mode: "byob" });
  const parts = [];
  let sending;
  for (;;) {
    const { done, value } = await reader.readAtLeast(partSize, new Uint8Array(partSize));
    if (sending) parts.push(await sending);
    sending = value?.byteLength ? upload.uploadPart(parts.length + 1, value) : undefined;
    if (done || !sending) break;
  }
  if (sending) parts.push(await sending);
  await upload.complete(parts);
}
export default {
  async fetch(request, env) {
    const key = new URL(request.url).pathname;
    if (request.method === "PUT") {
      await receive(request.body, env.BLOBS, key, env.PART_SIZE);
      return new Response(null, { status: 201 });
    }
    const { body, size } = await env.BLOBS.get(key);
    return new Response(body, { headers: { "content-length": String(size) } });
  },
};`,
};
