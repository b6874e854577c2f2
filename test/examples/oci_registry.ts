/** A registry of the OCI distribution API in memory, which checks what it stores. */
import { createHash, randomBytes } from "node:crypto";
import { type Answer, type Received, startHttpServer } from "./http_server.ts";

/** How the registry asks for a credential. */
type Authentication = "none" | "basic" | "bearer";

const account = { username: "robot", password: "pass:word" };
const basic = `Basic ${Buffer.from(`${account.username}:${account.password}`).toString("base64")}`;

export const sha256 = (bytes: Buffer | string) =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

interface StoredManifest {
  bytes: Buffer;
  type: string;
}

export class OciRegistry {
  /** By repository and digest, and by repository and tag. */
  readonly manifests = new Map<string, StoredManifest>();
  readonly blobs = new Map<string, Buffer>();
  /** The requests in order, such as `PUT /v2/mirror/python/manifests/latest`. */
  readonly log: string[] = [];
  readonly account = account;
  /** Runs before each request to `/v2/`. A returned answer replaces that of the registry. */
  before: (request: Received) => Answer | undefined | Promise<Answer | undefined> = () => undefined;
  readonly #authentication: Authentication;
  readonly #token = randomBytes(8).toString("hex");
  #server: Awaited<ReturnType<typeof startHttpServer>> | undefined;

  constructor(authentication: Authentication) {
    this.#authentication = authentication;
  }

  static async start(authentication: Authentication): Promise<OciRegistry> {
    const registry = new OciRegistry(authentication);
    registry.#server = await startHttpServer((request) => registry.#answer(request));
    return registry;
  }

  get url(): string {
    return this.#server?.url ?? "";
  }

  close = () => this.#server?.close();

  /** Stores a manifest under its digest, and under a tag if there is one. Returns its descriptor. */
  putManifest(repository: string, content: object, tag?: string) {
    const bytes = Buffer.from(JSON.stringify(content));
    const type = String((content as { mediaType?: string }).mediaType);
    const stored = { bytes, type };
    this.manifests.set(`${repository} ${sha256(bytes)}`, stored);
    if (tag) this.manifests.set(`${repository} ${tag}`, stored);
    return { mediaType: type, digest: sha256(bytes), size: bytes.length };
  }

  /** Stores a blob. Returns its descriptor. */
  putBlob(repository: string, bytes: Buffer) {
    this.blobs.set(`${repository} ${sha256(bytes)}`, bytes);
    return { mediaType: "application/octet-stream", digest: sha256(bytes), size: bytes.length };
  }

  async #answer(request: Received): Promise<Answer> {
    const { method, url, headers } = request;
    if (url.pathname === "/token") return this.#giveToken(request);
    this.log.push(`${method} ${url.pathname}`);
    const replaced = await this.before(request);
    if (replaced) return replaced;
    if (!this.#isAllowed(headers.authorization)) return this.#challenge();
    const [, repository = "", kind, reference = ""] =
      /^\/v2\/(.+?)\/(manifests|blobs)\/(.+)$/.exec(url.pathname) ?? [];
    if (kind === "manifests") return this.#manifest(request, repository, reference);
    if (kind === "blobs") return this.#blob(request, repository, reference);
    return { status: 404 };
  }

  #isAllowed(authorization: string | undefined): boolean {
    if (this.#authentication === "none") return true;
    const expected = this.#authentication === "basic" ? basic : `Bearer ${this.#token}`;
    return authorization === expected;
  }

  #challenge(): Answer {
    const value =
      this.#authentication === "basic"
        ? 'Basic realm="registry"'
        : `Bearer realm="${this.url}/token",service="registry",scope="ignored"`;
    return { status: 401, headers: { "www-authenticate": value } };
  }

  #giveToken({ url, headers }: Received): Answer {
    this.log.push(`GET /token ${url.searchParams.get("scope")}`);
    const isRight =
      headers.authorization === basic && url.searchParams.get("service") === "registry";
    return isRight ? { status: 200, body: { token: this.#token } } : { status: 401 };
  }

  #manifest({ method, headers, body }: Received, repository: string, reference: string): Answer {
    const key = `${repository} ${reference}`;
    if (method === "PUT") {
      const missing = this.#missing(repository, body);
      if (missing) return { status: 400, body: { missing } };
      const stored = { bytes: body, type: headers["content-type"] ?? "" };
      this.manifests.set(`${repository} ${sha256(body)}`, stored);
      this.manifests.set(key, stored);
      return { status: 201 };
    }
    const found = this.manifests.get(key);
    if (!found) return { status: 404 };
    const described = {
      "content-type": found.type,
      "docker-content-digest": sha256(found.bytes),
    };
    return { status: 200, headers: described, body: method === "HEAD" ? undefined : found.bytes };
  }

  /** Returns a digest in the manifest that the repository does not have. */
  #missing(repository: string, bytes: Buffer): string | undefined {
    const { config, layers = [], manifests = [] } = JSON.parse(String(bytes));
    const blobs = [...(config ? [config] : []), ...layers].filter(({ urls }) => !urls);
    return [
      ...blobs.filter(({ digest }) => !this.blobs.has(`${repository} ${digest}`)),
      ...manifests.filter(
        ({ digest }: { digest: string }) => !this.manifests.has(`${repository} ${digest}`),
      ),
    ][0]?.digest;
  }

  #blob({ method, url, body }: Received, repository: string, reference: string): Answer {
    if (method === "POST") {
      const location = `/v2/${repository}/blobs/uploads/session?state=a%2Fb`;
      return { status: 202, headers: { location } };
    }
    if (method === "PUT") {
      const digest = url.searchParams.get("digest") ?? "";
      if (url.searchParams.get("state") !== "a/b" || sha256(body) !== digest)
        return { status: 400 };
      this.blobs.set(`${repository} ${digest}`, body);
      return { status: 201 };
    }
    const found = this.blobs.get(`${repository} ${reference}`);
    if (!found) return { status: 404 };
    return { status: 200, body: method === "HEAD" ? undefined : found };
  }
}
