/** A registry client for tests. It checks nothing: the tests look at the responses. */
import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import { newIdentity, newOrganization, type Organization, randomName } from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";
import { registryToken } from "./stored_images.ts";

export const manifestType = "application/vnd.oci.image.manifest.v1+json";
export const indexType = "application/vnd.oci.image.index.v1+json";
export const configType = "application/vnd.oci.image.config.v1+json";
export const layerType = "application/vnd.oci.image.layer.v1.tar";

export const digestOf = (bytes: string | Uint8Array, algorithm = "sha256") =>
  `${algorithm}:${createHash(algorithm).update(bytes).digest("hex")}`;

// Vitest would compare blobs byte by byte, each with its name.
expect.addEqualityTesters([
  (a: unknown, b: unknown) =>
    a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) === 0 : undefined,
]);

export const someBytes = (length: number) => new Uint8Array(randomBytes(length));

/** An image name, and the token of someone who may push there. */
export interface Target {
  name: string;
  token: string;
  /** The origin of the platform. The default is the shared one. */
  origin?: string;
}

/** An organization, and someone who may push to all of it. */
export async function newPusher(
  role = "registry.push",
): Promise<{ organization: Organization; token: string; identity: string }> {
  const organization = await newOrganization("registry");
  const { uid } = await newIdentity(organization, role);
  return { organization, token: await registryToken(uid), identity: uid };
}

/** The name of an image that does not exist, and the token of someone who may push it. */
export async function newTarget(): Promise<Target & { organization: Organization }> {
  const { organization, token } = await newPusher();
  return { organization, token, name: `${organization.uid}/${randomName("image")}` };
}

export interface Sent {
  method?: string;
  body?: string | Uint8Array | ReadableStream;
  headers?: Record<string, string>;
}

/** Sends a request to the registry. The path begins after the name of the image. */
export function send(
  { name, token, origin = baseUrl() }: Target,
  path: string,
  { method = "GET", body, headers = {} }: Sent = {},
): Promise<Response> {
  const url = path.startsWith("/v2/") ? `${origin}${path}` : `${origin}/v2/${name}/${path}`;
  return fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body: body as BodyInit, duplex: "half" }),
  } as RequestInit);
}

/** The status, and the code of the error if there is one. */
export async function outcome(response: Response | Promise<Response>): Promise<[number, string?]> {
  const answer = await response;
  const text = await answer.text();
  if (answer.ok || !text.startsWith("{")) return [answer.status];
  return [answer.status, JSON.parse(text).errors[0].code];
}

/** Begins an upload, and returns the path for its requests. */
export async function begin(target: Target, query = ""): Promise<string> {
  const answer = await send(target, `blobs/uploads/${query}`, { method: "POST" });
  return answer.headers.get("location") ?? "";
}

/** Pushes a blob in one request. Returns its digest. */
export async function pushBlob(target: Target, bytes: string | Uint8Array): Promise<string> {
  const digest = digestOf(bytes);
  const path = `blobs/uploads/?digest=${digest}`;
  const answer = await send(target, path, { method: "POST", body: bytes });
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  return digest;
}

export const sendChunk = (
  target: Target,
  location: string,
  bytes: Uint8Array,
  first?: number,
): Promise<Response> =>
  send(target, location, {
    method: "PATCH",
    body: bytes,
    headers: first === undefined ? {} : { "content-range": `${first}-${first + bytes.length - 1}` },
  });

export const end = (target: Target, location: string, digest: string, body?: Uint8Array) =>
  send(target, `${location}?digest=${digest}`, { method: "PUT", ...(body ? { body } : {}) });

/** A body whose second half is sent when the test says so. */
export function inHalves(bytes: Uint8Array) {
  let release = () => {};
  const halfWay = new Promise<void>((done) => {
    release = done;
  });
  const half = bytes.length / 2;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes.subarray(0, half));
      await halfWay;
      controller.enqueue(bytes.subarray(half));
      controller.close();
    },
  });
  return { body, release };
}

export const descriptorOf = (bytes: string | Uint8Array, mediaType: string) => ({
  mediaType,
  digest: digestOf(bytes),
  size: typeof bytes === "string" ? Buffer.byteLength(bytes) : bytes.length,
});

/** The text of a manifest. */
export interface Image {
  text: string;
  digest: string;
  layer: Uint8Array;
  config: string;
}

/** An image with one layer and a configuration. `more` are further members of the manifest. */
export function newImageOf({
  layer = someBytes(100),
  labels = {},
  ...more
}: Record<string, unknown> & { layer?: Uint8Array; labels?: Record<string, string> } = {}): Image {
  const config = JSON.stringify({
    architecture: "amd64",
    os: "linux",
    created: "2026-01-02T03:04:05Z",
    config: { User: "nonroot", Labels: labels },
    rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
  });
  const text = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptorOf(config, configType),
    layers: [descriptorOf(layer, layerType)],
    ...more,
  });
  return { text, digest: digestOf(text), layer, config };
}

export const putManifest = (
  target: Target,
  reference: string,
  text: string | Uint8Array,
  type = manifestType,
): Promise<Response> =>
  send(target, `manifests/${reference}`, {
    method: "PUT",
    body: text,
    headers: { "content-type": type },
  });

/** Pushes an image with its blobs. */
export async function pushImage(
  target: Target,
  reference: string,
  image = newImageOf(),
): Promise<Image> {
  await pushBlob(target, image.layer);
  await pushBlob(target, image.config);
  const answer = await putManifest(target, reference, image.text);
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  return image;
}

/** Reads a manifest and everything that it names. Throws if something is missing or wrong. */
export async function pullImage(target: Target, reference: string): Promise<Image> {
  const answer = await send(target, `manifests/${reference}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  const text = await answer.text();
  const { config, layers } = JSON.parse(text);
  const read = async (digest: string) => {
    const blob = await send(target, `blobs/${digest}`);
    const bytes = new Uint8Array(await blob.arrayBuffer());
    if (digestOf(bytes) !== digest) throw new Error(`${digest}: ${blob.status}`);
    return bytes;
  };
  const layer = await read(layers[0].digest);
  return {
    text,
    digest: digestOf(text),
    layer,
    config: Buffer.from(await read(config.digest)).toString(),
  };
}
