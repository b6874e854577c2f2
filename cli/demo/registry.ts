/**
 * A registry like Docker Hub, to try out mirrors: it has the image `library/hello` with the tag `latest`. `POST /publish`
 * moves the tag to a new image. After `POST /limit?seconds=60`, it refuses everything for a minute. `--port N` or
 * DEMO_REGISTRY_PORT sets another port than 9092.
 */
import { createServer, type ServerResponse } from "node:http";
import { type Demo, runDemo } from "./demo_server.ts";
import { descriptorOf, digestOf } from "./sample_images.ts";

const demoRegistry: Demo = { name: "registry", defaultPort: 9092, variable: "DEMO_REGISTRY_PORT" };

const image = "library/hello";
const manifestType = "application/vnd.oci.image.manifest.v1+json";

/** The pulls that Docker Hub allows without a login in six hours. */
const pullLimit = 100;

function newRegistry() {
  const contents = new Map<string, { type: string; bytes: Buffer }>();
  let latest = "";
  let versions = 0;
  let pulls = 0;
  let limitedUntil = 0;

  const keep = (bytes: Buffer, type = "application/octet-stream") => {
    contents.set(digestOf(bytes), { type, bytes });
    return digestOf(bytes);
  };

  /** Moves the tag to a new image, and returns its digest. */
  function publish(): string {
    versions += 1;
    const layer = Buffer.from(`This is version ${versions} of the image.\n`);
    const config = Buffer.from(
      JSON.stringify({
        ...{ architecture: "amd64", os: "linux", created: new Date().toISOString() },
        rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
      }),
    );
    const manifest = Buffer.from(
      JSON.stringify({
        ...{ schemaVersion: 2, mediaType: manifestType },
        config: descriptorOf("application/vnd.oci.image.config.v1+json", config),
        layers: [descriptorOf("application/vnd.oci.image.layer.v1.tar", layer)],
      }),
    );
    for (const part of [layer, config]) keep(part);
    latest = keep(manifest, manifestType);
    return latest;
  }

  function serve(method: string, path: string, response: ServerResponse): void {
    const now = Date.now();
    if (now < limitedUntil) {
      const seconds = Math.ceil((limitedUntil - now) / 1000);
      response.writeHead(429, { "retry-after": String(seconds) }).end();
      return;
    }
    const [, kind, reference = ""] =
      new RegExp(`^/v2/${image}/(manifests|blobs)/([^/]+)$`).exec(path) ?? [];
    const found = contents.get(reference === "latest" ? latest : reference);
    if (!found) {
      response.writeHead(404, { "content-type": "application/json" }).end('{"errors":[]}');
      return;
    }
    if (method === "GET" && kind === "manifests") pulls += 1;
    response.writeHead(200, {
      "content-type": found.type,
      "content-length": found.bytes.length,
      "docker-content-digest": digestOf(found.bytes),
      "ratelimit-limit": `${pullLimit};w=21600`,
      "ratelimit-remaining": `${Math.max(0, pullLimit - pulls)};w=21600`,
    });
    response.end(method === "HEAD" ? undefined : found.bytes);
  }

  publish();
  return createServer((request, response) => {
    const { method = "", url = "/" } = request;
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (pathname === `/v2/${image}/tags/list`) {
      response.end(JSON.stringify({ name: image, tags: ["latest"] }));
    } else if (method === "POST" && pathname === "/publish") {
      response.end(`latest is ${publish()}\n`);
    } else if (method === "POST" && pathname === "/limit") {
      limitedUntil = Date.now() + Number(searchParams.get("seconds") ?? 60) * 1000;
      response.end("limited\n");
    } else serve(method, pathname, response);
  });
}

const help = `Run a registry like Docker Hub, with the image ${image}:latest. POST /publish moves the tag to a new image.
POST /limit?seconds=N refuses all requests for N seconds.
`;

await runDemo(demoRegistry, [], help, newRegistry);
