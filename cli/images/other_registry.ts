/** Requests to a registry that is not a platform, with the login that docker or podman has stored for it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { helperFiles } from "../account/docker_config.ts";
import {
  exitCodes,
  Failure,
  reasonOf,
  refusedFailure,
  toFailure,
  usageFailure,
} from "../failure.ts";
import { here } from "../surroundings.ts";
import { readBytes, readObject } from "./answers.ts";
import { type RegistryRequest, requireStatus, type Session, sendOnce } from "./session.ts";

/** A user and a password, as `user:password`. */
type Login = string | undefined;

/** The demand of a registry in the header `WWW-Authenticate` (RFC 9110, distribution token specification). */
type Challenge = { scheme: string; parameters: Record<string, string> };

/** In characters: a token or a header that is longer is not one. */
const maxTokenLength = 64 * 1024;

/** In bytes: the longest answer of a token service, and the longest error that is read. */
const maxShortBytes = 256 * 1024;

const localHost = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;

/** Opens the registry of a host such as `registry.example.com`. On this machine it is asked without TLS, as docker does. */
export async function openOtherRegistry(host: string): Promise<Session> {
  const isLocal = localHost.test(host);
  const url = `${isLocal ? "http" : "https"}://${host}`;
  if (!URL.canParse(url) || new URL(url).host !== host)
    throw usageFailure(`${host} is not the host of a registry, such as registry.example.com.`);
  const login = await storedLogin(host);
  const tokens = new Map<string, string>();
  return {
    ...{ host, url, vendor: "", isLoggedIn: login !== undefined, offersDirectUploads: false },
    async send(name, request) {
      const target = new URL(request.path, url);
      if (target.origin !== url) return sendOnce(target, request, undefined);
      const response = await sendAs(target, request, tokens.get(name));
      if (response.status !== 401) return response;
      const challenge = challengeOf(response.headers.get("www-authenticate") ?? "");
      const authorization =
        challenge && (await authorizationFor(challenge, name, { login, isLocal }));
      if (authorization === undefined) return response;
      await response.body?.cancel();
      tokens.set(name, authorization);
      return sendAs(target, request, authorization);
    },
    failure(thrown) {
      const failure = toFailure(thrown, url);
      if (failure.code !== "UNREACHABLE") return failure;
      const why = `${host} does not respond as a registry: ${failure.message.split(". ", 1)[0]}.`;
      return new Failure(exitCodes.unreachable, "REGISTRY", why);
    },
  };
}

async function sendAs(
  target: URL,
  request: RegistryRequest,
  authorization: string | undefined,
): Promise<Response> {
  const headers = { ...request.headers, ...(authorization && { authorization }) };
  const response = await sendOnce(target, { ...request, headers }, undefined);
  return response.status < 400 || !response.body ? response : withShortBody(response);
}

/** An error with a body that was read, so that it is not read without a limit later. */
async function withShortBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  const bytes = await readBytes(response, maxShortBytes, "An error of the registry");
  return new Response(new Uint8Array(bytes), { status, headers });
}

/** Reads the first challenge of the header. Undefined if it has another form. */
export function challengeOf(header: string): Challenge | undefined {
  const [, scheme = "", rest = ""] =
    /^\s*(\w+)\s*(.*)$/s.exec(header.slice(0, maxTokenLength)) ?? [];
  if (scheme === "") return undefined;
  const found = [...rest.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  const parameters = Object.fromEntries(
    found.map(([, key = "", value = ""]) => [key.toLowerCase(), value.replaceAll(/\\(.)/g, "$1")]),
  );
  return { scheme: scheme.toLowerCase(), parameters };
}

/** The header for the next request. Undefined if the registry asks for something else, or for a login that is missing. */
async function authorizationFor(
  { scheme, parameters }: Challenge,
  name: string,
  { login, isLocal }: { login: Login; isLocal: boolean },
): Promise<string | undefined> {
  const basic = login === undefined ? undefined : `Basic ${Buffer.from(login).toString("base64")}`;
  if (scheme === "basic") return basic;
  const { realm = "", service, scope } = parameters;
  if (scheme !== "bearer" || !URL.canParse(realm)) return undefined;
  const address = new URL(realm);
  // The password must not go over a network in the clear, nor to another program of this machine.
  const isSafe = address.protocol === "https:" || (isLocal && localHost.test(address.host));
  if (!isSafe)
    throw refusedFailure(
      "INSECURE",
      `The registry sends its logins to ${address.origin}, which has no TLS.`,
    );
  if (service !== undefined) address.searchParams.set("service", service);
  const asked = scope ?? (name === "" ? "registry:catalog:*" : `repository:${name}:pull`);
  for (const one of asked.split(" ")) address.searchParams.append("scope", one);
  const response = await fetch(address, {
    headers: basic ? { authorization: basic } : {},
    signal: AbortSignal.timeout(30_000),
  });
  await requireStatus(response.ok ? response : await withShortBody(response), 200);
  const { token, access_token: access } = await readObject(
    response,
    maxShortBytes,
    `The answer of ${address.origin}`,
  );
  const bearer = token ?? access;
  return typeof bearer === "string" && bearer.length < maxTokenLength
    ? `Bearer ${bearer}`
    : undefined;
}

/** The login for a host in the files of docker and podman. The first file that has one counts. */
async function storedLogin(host: string): Promise<Login> {
  for (const file of helperFiles(here().env)) {
    const config = await readConfig(file);
    const helper = config.credHelpers?.[host] ?? config.credsStore;
    const login = helper ? await askHelper(helper, host) : decoded(config.auths?.[host]?.auth);
    if (login !== undefined) return login;
  }
  return undefined;
}

type DockerConfig = {
  auths?: Record<string, { auth?: string } | undefined>;
  credHelpers?: Record<string, string | undefined>;
  credsStore?: string;
};

async function readConfig(file: string): Promise<DockerConfig> {
  const content = await readFile(file, "utf8").catch(() => "{}");
  try {
    return JSON.parse(content) as DockerConfig;
  } catch (error) {
    throw usageFailure(`Cannot read ${file}: ${reasonOf(error)}.`);
  }
}

const decoded = (auth: string | undefined): Login =>
  auth ? Buffer.from(auth, "base64").toString("utf8") : undefined;

/** Asks a credential helper. It has no login if it fails, which it also does for a host that it does not know. */
async function askHelper(helper: string, host: string): Promise<Login> {
  if (!/^[\w-]+$/.test(helper)) return undefined;
  const child = spawn(`docker-credential-${helper}`, ["get"], {
    ...{ stdio: ["pipe", "pipe", "ignore"], env: here().env },
  });
  const failed = once(child, "error").then(() => "{}");
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(`${host}\n`);
  const answer = await Promise.race([child.stdout ? text(child.stdout) : "{}", failed]);
  try {
    const { Username, Secret } = JSON.parse(answer) as Record<string, unknown>;
    return typeof Username === "string" && Username !== "" ? `${Username}:${Secret}` : undefined;
  } catch {
    return undefined;
  }
}
