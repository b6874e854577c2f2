/**
 * Clients of OAuth: programs on the machine of the person, without a secret, and the console. Registration (RFC 7591)
 * stores nothing. The id of a registered client is its name and its redirect URIs, encrypted by the issuer, so no one
 * can change them. The console is a part of the platform and needs no registration.
 */
import { sha256 } from "../../aip/sha256.ts";
import { seal, unseal } from "../../auth/secrets.ts";
import type { Config } from "../../config.ts";
import { type LoginContext, readFormBytes } from "../login/context.ts";
import { isLoopback } from "../login/parameters.ts";
import { OAuthError } from "./errors.ts";

/** A registered client, or the console. */
export interface OAuthClient {
  /** The name that the program gave itself. Anyone can choose any name. */
  name: string;
  redirectUris: string[];
  /** SHA-256 of its id. */
  digest: string;
  /** Whether it is the console of the platform, which the person need not confirm. */
  isConsole: boolean;
}

/** The id of the console. */
const consoleId = "console";

/** The id of platformctl. Anyone can send it, so pages show its name like that of any other program. */
const commandId = "platformctl";

/** The grant type of programs on machines without a browser (RFC 8628). They need no redirect URI. */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

const purpose = "oauth_client";
const maxRedirectUris = 8;
const maxUriLength = 256;
const maxNameLength = 100;

/** The longest id of a client that the limits above allow. */
export const maxClientIdLength = 4096;

/**
 * `POST /oauth/register`. A code is only ever sent to a program on the same machine. Other redirect URIs of a request
 * are left out of the response, as RFC 7591 section 3.2.1 allows.
 */
export async function registerClient(context: LoginContext): Promise<Response> {
  const { config, now, request } = context;
  const metadata = await readMetadata(request);
  const { client_name: name = "", grant_types: grants } = metadata;
  const isDevice = Array.isArray(grants) && grants.includes(deviceGrant);
  const { redirect_uris: sentUris = isDevice ? [] : undefined } = metadata;
  if (typeof name !== "string" || !name.isWellFormed())
    throw new OAuthError("invalid_client_metadata", "client_name must be a text");
  if (!Array.isArray(sentUris) || !sentUris.every((uri) => typeof uri === "string"))
    throw new OAuthError("invalid_redirect_uri", "redirect_uris must be a list of texts");
  const redirectUris = [...new Set(sentUris as string[])]
    .filter((uri) => uri.length <= maxUriLength && isUsable(uri))
    .slice(0, maxRedirectUris);
  if (redirectUris.length === 0 && !isDevice) {
    const text = `redirect_uris must contain an http URL of this machine (localhost, 127.0.0.1 or [::1]) of at most ${maxUriLength} characters`;
    throw new OAuthError("invalid_redirect_uri", text);
  }
  const client = { name: plainName(name), redirectUris };
  const answer = {
    client_id: await seal(config, purpose, JSON.stringify(client)),
    client_id_issued_at: Math.floor(now / 1000),
    ...(client.name === "" ? {} : { client_name: client.name }),
    redirect_uris: redirectUris,
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token", ...(isDevice ? [deviceGrant] : [])],
    response_types: ["code"],
  };
  return Response.json(answer, { status: 201, headers: { "cache-control": "no-store" } });
}

async function readMetadata(request: Request): Promise<Record<string, unknown>> {
  const text = new TextDecoder().decode(await readFormBytes(request));
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === "object" && json !== null) return json as Record<string, unknown>;
  } catch {
    // The error below says so.
  }
  throw new OAuthError("invalid_client_metadata", "the body must be a JSON object");
}

/** A text without control characters and marks that change the direction of text, which could hide a part of the page. */
export const plainName = (name: string) =>
  name
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, maxNameLength)
    .toWellFormed();

function isUsable(uri: string): boolean {
  if (!URL.canParse(uri) || uri.includes("#")) return false;
  const url = new URL(uri);
  return isLoopback(url) && url.username === "" && url.password === "";
}

/** The page of the console that receives the codes of its logins. */
const consoleRedirectUri = ({ baseUrl }: Config) => `${baseUrl}/console/signed-in`;

/** Whether a digest is the one of the console's id. */
export const isConsole = async (digest: string) => digest === (await sha256(consoleId));

/** Whether a digest is the one of the id of platformctl. */
export const isCommand = async (digest: string) => digest === (await sha256(commandId));

/** Reads the client from its id. Throws OAuthError if it is neither a part of the platform nor a registered client. */
export async function readClient(config: Config, id: string): Promise<OAuthClient> {
  const digest = await sha256(id);
  if (id === consoleId)
    return { name: "", redirectUris: [consoleRedirectUri(config)], digest, isConsole: true };
  if (id === commandId) return { name: commandId, redirectUris: [], digest, isConsole: false };
  const text = id === "" ? undefined : await unseal(config, purpose, id);
  if (text === undefined)
    throw new OAuthError("invalid_client", "client_id is unknown; register the client again");
  const { name, redirectUris } = JSON.parse(text) as Pick<OAuthClient, "name" | "redirectUris">;
  return { name, redirectUris, digest, isConsole: false };
}

/**
 * Whether the URI belongs to the client. A program on the same machine can listen on any port (RFC 8252 section 7.3).
 * The console has exactly one URI.
 */
export function isRegistered({ redirectUris, isConsole }: OAuthClient, uri: string): boolean {
  if (isConsole) return redirectUris.includes(uri);
  if (!isUsable(uri)) return false;
  return redirectUris.some(
    (registered) => registered === uri || withoutPort(registered) === withoutPort(uri),
  );
}

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = "";
  return url.href;
}
