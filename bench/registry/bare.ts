/** The Workers that the registry host is compared with. They do only what is unavoidable. */
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

/**
 * Answers with a manifest whose digest is its path, in hexadecimal digits. It verifies the signature of one token, and reads
 * one row of D1. It checks no role. The stage gives it the keys of the platform.
 */
export const bareManifests: ExtraWorker = {
  name: "bare-manifests",
  script: `
let key;
const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
async function verify(token, env) {
  const [head, claims, signature] = token.split(".");
  if (!key) {
    const [{ kty, crv, x, y }] = JSON.parse(env.SIGNING_KEYS).keys;
    key = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, { name: "ECDSA", namedCurve: crv }, false, ["verify"]);
  }
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const signed = new TextEncoder().encode(head + "." + claims);
  if (!(await crypto.subtle.verify(algorithm, key, bytesOf(signature), signed))) throw new Error("wrong signature");
  return JSON.parse(new TextDecoder().decode(bytesOf(claims)));
}
export default {
  async fetch(request, env) {
    const [, token] = request.headers.get("authorization").split(" ");
    await verify(token, env);
    const digest = new URL(request.url).pathname.slice(1);
    const row = await env.DB.prepare("select content from blobs where digest = unhex(?)").bind(digest).first();
    return new Response(request.method === "HEAD" ? null : row.content, {
      headers: { "content-type": request.headers.get("accept"), "docker-content-digest": "sha256:" + digest },
    });
  },
};`,
};
