/** Sends requests to upstreams: with their credentials, over redirects, and within limits. */
import { fetchUpstream, RefusedDestination } from "../../auth/outgoing/outgoing.ts";
import type { Config } from "../../config.ts";
import { refusesLogin, retryAfter, UpstreamFailure } from "./failures.ts";
import type { Mirror } from "./setting.ts";
import { authorize, forgetAuthorization, knownAuthorization } from "./tokens.ts";

/** The most redirects of one request. Registries send clients to the storage of their blobs. */
const maxRedirects = 5;

/** The longest time for the headers of an answer, in milliseconds. */
const longestWait = 10_000;

/** A request to an upstream. */
interface Asked {
  method: "GET" | "HEAD";
  /** Below the path of the image: `manifests/latest`, `blobs/sha256:…`. */
  path: string;
  headers?: Record<string, string>;
}

/** An answer, and the numbers of the limits that it says. */
export interface Answer {
  response: Response;
  limits: Limits;
}

/** The pulls that an upstream allows, and those that are left. Undefined if it does not say. */
export interface Limits {
  pullLimit: number | undefined;
  pullsRemaining: number | undefined;
}

/** The part of a request that decides how it is sent. */
type Context = { config: Config };

/**
 * Sends a request, and returns an answer with a status of 200 or 304. Undefined if the upstream does not have the image, or
 * does not show it to the user: many upstreams do not say which. Throws UpstreamFailure.
 */
export async function ask(
  context: Context,
  mirror: Mirror,
  asked: Asked,
): Promise<Answer | undefined> {
  const url = `${mirror.origin}/v2/${mirror.path}/${asked.path}`;
  const first = await sendTo(context, mirror, url, asked, knownAuthorization(mirror));
  const response = first.status === 401 ? await again(context, mirror, url, asked, first) : first;
  const { status, headers } = response;
  if (status === 200 || status === 304) return { response, limits: limitsOf(headers) };
  await response.body?.cancel().catch(() => {});
  if (status === 401 || status === 403 || status === 404) return undefined;
  throw failureOf(mirror, response);
}

function failureOf({ address }: Mirror, { status, headers }: Response): UpstreamFailure {
  const now = Date.now();
  if (status === 429) {
    const text = `the upstream of ${address} takes no more requests now`;
    return new UpstreamFailure("limited", text, now, retryAfter(headers.get("retry-after"), now));
  }
  const isDown = status >= 500;
  const text = `the upstream of ${address} answers with ${status}`;
  const pause = isDown ? retryAfter(headers.get("retry-after"), now) : undefined;
  return new UpstreamFailure(isDown ? "unreachable" : "wrong", text, now, pause);
}

/** Sends the request again with a token, after the upstream has asked for one. */
async function again(
  context: Context,
  mirror: Mirror,
  url: string,
  asked: Asked,
  refused: Response,
): Promise<Response> {
  await refused.body?.cancel().catch(() => {});
  forgetAuthorization(mirror);
  const challenge = refused.headers.get("www-authenticate") ?? "";
  const authorization = await authorize(context.config, mirror, challenge);
  if (authorization === undefined) return refused;
  const response = await sendTo(context, mirror, url, asked, authorization);
  if (response.status !== 401) return response;
  forgetAuthorization(mirror);
  // Without a token, it is not about the image.
  if (!authorization.startsWith("Basic ")) return response;
  await response.body?.cancel().catch(() => {});
  const text = `the upstream of ${mirror.address} ${refusesLogin}`;
  throw new UpstreamFailure("refused", text, Date.now());
}

/** Sends a request, and follows redirects. Only the origin of the upstream gets the credentials. */
async function sendTo(
  { config }: Context,
  mirror: Mirror,
  url: string,
  { method, headers }: Asked,
  authorization: string | undefined,
): Promise<Response> {
  const fail = (reason: "unreachable" | "wrong", text: string) =>
    new UpstreamFailure(reason, `the upstream of ${mirror.address} ${text}`, Date.now());
  const wait = Math.min(longestWait, config.uploadStallMs || longestWait);
  for (let at = url, redirects = 0; ; redirects += 1) {
    const isOwn = new URL(at).origin === mirror.origin;
    const options = {
      method,
      headers: {
        "user-agent": "registry-mirror",
        // The bytes must be those of the digest.
        "accept-encoding": "identity",
        ...headers,
        ...(isOwn && authorization ? { authorization } : {}),
      },
    };
    const response = await fetchUpstream(config, at, options, wait).catch((thrown: Error) => {
      if (thrown instanceof RefusedDestination)
        throw fail("wrong", `leads to an address that ${thrown.predicate}`);
      throw fail("unreachable", `does not answer: ${thrown.message}`);
    });
    const location = response.headers.get("location");
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
    await response.body?.cancel().catch(() => {});
    if (redirects === maxRedirects)
      throw fail("wrong", `redirects more than ${maxRedirects} times`);
    if (!URL.canParse(location, at)) throw fail("wrong", "redirects to no address");
    at = new URL(location, at).href;
  }
}

/** The numbers in the headers of Docker Hub: `ratelimit-limit: 100;w=21600`. */
function limitsOf(headers: Headers): Limits {
  const numberIn = (name: string) => {
    const [, digits] = /^\s*(\d{1,9})/.exec(headers.get(name) ?? "") ?? [];
    return digits === undefined ? undefined : Number(digits);
  };
  return {
    pullLimit: numberIn("ratelimit-limit"),
    pullsRemaining: numberIn("ratelimit-remaining"),
  };
}
