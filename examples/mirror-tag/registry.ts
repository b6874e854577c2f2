/** A registry of the OCI distribution API, with its authentication. */

/** The address of a registry, and the account to use. */
export interface RegistryOptions {
  /** The URL, such as `https://registry.example.com`. */
  url: string;
  username?: string | undefined;
  password?: string | undefined;
}

/** A request below `/v2/{repository}/`, or to a URL that the registry has returned. */
export interface RegistryRequest {
  method?: "GET" | "HEAD" | "POST" | "PUT";
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

/** How long the registry may take to begin its response, in milliseconds. */
const timeoutMs = 30_000;

/** One repository of a registry. It keeps the credential that the registry asked for. */
export class Repository {
  readonly #origin: string;
  readonly #base: string;
  readonly #basic: string | undefined;
  readonly #scope: string;
  #authorization: string | undefined;

  /** `actions` are those of a token, such as `pull` or `pull,push`. */
  constructor({ url, username, password }: RegistryOptions, name: string, actions: string) {
    this.#origin = new URL(url).origin;
    this.#base = `${url.replace(/\/+$/, "")}/v2/${name}/`;
    this.#scope = `repository:${name}:${actions}`;
    this.#basic =
      username === undefined
        ? undefined
        : `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}`;
  }

  /** Returns the response, whatever its status is, except that it answers one challenge of a 401. */
  async send(path: string, request: RegistryRequest = {}): Promise<Response> {
    const url = new URL(path, this.#base);
    const response = await this.#attempt(url, request);
    const challenge = response.headers.get("www-authenticate");
    // A stream can be sent only once. Its upload began with a request that had no body.
    if (response.status !== 401 || !challenge || request.body instanceof ReadableStream) {
      return response;
    }
    await response.body?.cancel();
    this.#authorization = await this.#answerTo(challenge);
    return this.#attempt(url, request);
  }

  /** Like `send`, and throws an Error if the status is not in 200 to 299. */
  async expect(path: string, request: RegistryRequest = {}): Promise<Response> {
    const response = await this.send(path, request);
    if (response.ok) return response;
    const said = (await response.text()).slice(0, 200);
    const what = `${request.method ?? "GET"} ${new URL(path, this.#base).pathname}`;
    throw new Error(`${this.#origin} responded to ${what} with ${response.status}: ${said}`);
  }

  #attempt(url: URL, { method = "GET", headers, body }: RegistryRequest): Promise<Response> {
    // Uploads may go to another host, which must not get the credential.
    const isOwn = url.origin === this.#origin && this.#authorization !== undefined;
    const init = {
      method,
      headers: { ...headers, ...(isOwn ? { authorization: this.#authorization ?? "" } : {}) },
      ...(body ? { body, duplex: "half" } : { signal: AbortSignal.timeout(timeoutMs) }),
    };
    return fetch(url, init);
  }

  /** Returns the header for a challenge (RFC 7235, and the token specification of OCI registries). */
  async #answerTo(challenge: string): Promise<string> {
    const [, scheme = ""] = /^(\w+)/.exec(challenge) ?? [];
    if (scheme.toLowerCase() === "basic" && this.#basic) return this.#basic;
    const parameters = new Map(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
    );
    const realm = parameters.get("realm");
    if (scheme.toLowerCase() !== "bearer" || !realm) {
      throw new Error(`${this.#origin} asks for a credential that is not configured: ${scheme}`);
    }
    return `Bearer ${await this.#token(realm, parameters.get("service"))}`;
  }

  async #token(realm: string, service: string | undefined): Promise<string> {
    const url = new URL(realm, this.#origin);
    // The account must not travel without TLS, unless the registry itself has none.
    if (url.protocol !== "https:" && url.protocol !== new URL(this.#origin).protocol) {
      throw new Error(`${this.#origin} asks for a token from ${url.origin}, which has no TLS`);
    }
    if (service) url.searchParams.set("service", service);
    url.searchParams.set("scope", this.#scope);
    const headers = this.#basic ? { authorization: this.#basic } : undefined;
    const response = await fetch(url, {
      ...(headers && { headers }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok)
      throw new Error(`${url.origin} responded with ${response.status} instead of a token`);
    const { token, access_token } = (await response.json()) as Record<string, unknown>;
    if (typeof (token ?? access_token) !== "string")
      throw new Error(`${url.origin} returned no token`);
    return String(token ?? access_token);
  }
}
