/**
 * Gives the console of `npm start` a token of the owner of the sample organization, so that one click signs in. Everyone
 * who uses this machine can have that token. It is not for other machines, nor for pages of other origins in a browser
 * on this one.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { BlockList } from "node:net";
import { ownerAccount, type Signer } from "../account/credentials.ts";

/** Reads the platform whose owner signs in. */
export type ReadSigner = () => Promise<Signer>;

/** Whether a request is for the owner. The Worker returns 404 for this path. */
export const isLocalOwnerPath = (url = ""): boolean => /^\/console\/local-owner(?:\?|$)/.test(url);

/** The names of this machine. A page of another site can rebind its own name to this machine, but not these names. */
const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** Fields that proxies add. A proxy on this machine can pass on a request of another machine. */
const proxyHeaders = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

const allowedMethods = ["GET", "HEAD", "POST"];

/**
 * Responds with the names and uids of the organization and its owner, and with a token for the API to POST. The token is
 * valid for `expires_in` seconds. An error has the form of those of the API.
 */
export async function serveLocalOwner(
  request: IncomingMessage,
  response: ServerResponse,
  read: ReadSigner,
): Promise<void> {
  request.resume();
  const reason = refusalOf(request);
  if (reason !== undefined) return sendError(response, 403, 7, reason);
  const { method = "" } = request;
  if (!allowedMethods.includes(method)) {
    response.setHeader("allow", allowedMethods.join(", "));
    return sendError(response, 405, 12, `${method} is not supported here`);
  }
  try {
    const signer = await read();
    send(response, 200, method === "POST" ? await tokenOf(signer) : namesOf(signer));
  } catch (error) {
    sendError(response, 500, 13, error instanceof Error ? error.message : String(error));
  }
}

const namesOf = ({ platform: { organization, owner } }: Signer) => ({ organization, owner });

async function tokenOf(signer: Signer) {
  const { token, expiry } = await ownerAccount(signer).token(signer.platform);
  const seconds = Math.floor((expiry.getTime() - Date.now()) / 1000);
  return { access_token: token, expires_in: seconds };
}

/** The reason why a request is refused. Undefined if it comes from this machine, and not from another site. */
function refusalOf({ socket, method, headers }: IncomingMessage): string | undefined {
  const { remoteAddress: address = "", remoteFamily } = socket;
  const family = remoteFamily === "IPv6" ? "ipv6" : "ipv4";
  if (address === "" || !loopback.check(address, family))
    return "Only programs on the same machine can sign in the owner.";
  const { host = "", origin, "sec-fetch-site": site } = headers;
  if (!loopbackHost.test(host))
    return "To sign in the owner, open the console at localhost, 127.0.0.1 or [::1].";
  if (Object.keys(headers).some((name) => proxyHeaders.test(name)))
    return "A proxy passed this request on, so it can come from another machine.";
  const isOurs = origin === undefined || origin === `http://${host}`;
  const isSameSite = site === undefined || site === "same-origin" || isTyped(method, site);
  if (!isOurs || !isSameSite) return "A page of another origin sent this request.";
  if (method === "POST" && origin === undefined && site === undefined)
    return "The request needs the header Origin or Sec-Fetch-Site.";
  return undefined;
}

/** Whether a person opened the address itself, which only shows them names. */
const isTyped = (method = "", site: unknown) => method !== "POST" && site === "none";

const sendError = (response: ServerResponse, status: number, code: number, message: string) =>
  send(response, status, { code, message, details: [] });

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
  });
  response.end(JSON.stringify(body));
}
