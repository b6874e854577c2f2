/** The Worker that transfers are compared with: it streams bodies to R2 and back, and does nothing else. */
import type { ExtraWorker } from "../stage.ts";

/**
 * Stores the body of a PUT at its path, and returns it for a GET. Like the platform, it gives R2 the body as one stream.
 * It checks no token and computes no digest. It uses D1 only for `/row`, where it reads one row.
 */
export const bareStorage: ExtraWorker = {
  name: "bare-storage",
  bucket: "bare-blobs",
  script: `
export default {
  async fetch(request, env) {
    const key = new URL(request.url).pathname;
    if (request.method === "PUT") {
      await env.BLOBS.put(key, request.body);
      return new Response(null, { status: 201 });
    }
    if (key === "/row") return Response.json(await env.DB.prepare("select 1 as one").first());
    const { body, size } = await env.BLOBS.get(key);
    return new Response(body, { headers: { "content-length": String(size) } });
  },
};`,
};
