/**
 * The token of an AWS principal is a GetCallerIdentity request that it has signed (SigV4) but not sent, in
 * URL-safe base64 (contract: AWS token). Only AWS can check the signature, so the request is sent there after
 * all other checks. The request must only ask for the caller's identity, and signed headers must name our
 * issuer and the identity.
 */
import { unavailable } from "../aip/errors.ts";
import { textViolation } from "../aip/text.ts";
import { fetchConfigured, responseTimeoutMs } from "../auth/outgoing/outgoing.ts";
import type { Config } from "../config.ts";
import { tokenRefusal } from "./upstream.ts";

const host = "sts.amazonaws.com";
const query = { Action: "GetCallerIdentity", Version: "2011-06-15" };

const maxTokenLength = 16 * 1024;

/** The greatest age of a request, and how far it may be ahead of our clock, in milliseconds. */
const maxAge = 15 * 60_000;
const maxClockLead = 5 * 60_000;

/** Headers of the connection. No client signs them, and they are not sent to AWS. */
const connectionHeaders = ["connection", "transfer-encoding", "expect", "te", "upgrade"];

/** A signed request before its checks. Header names are in lowercase. */
export interface SignedRequest {
  method: string;
  target: string;
  headers: Map<string, string>;
  body: string;
}

/** The signer of the request, according to AWS. */
export interface AwsCaller {
  /** 12 digits. */
  account: string;
  arn: string;
  userId: string;
}

const startLine = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/;

/**
 * Reads the token. Undefined if it is another kind of token. Throws PERMISSION_DENIED if the request is
 * malformed or contains a header twice.
 */
export function readSignedRequest(token: string): SignedRequest | undefined {
  const text = decodeBase64Url(token);
  const [start, method = "", target = ""] = startLine.exec(text ?? "") ?? [];
  if (text === undefined || start === undefined) return undefined;
  const end = text.indexOf("\r\n\r\n");
  const isPlain = /^[\x20-\x7e\t\r\n]*$/.test(text);
  if (end < 0 || !isPlain || token.length > maxTokenLength) throw malformedRequest();
  const headers = new Map<string, string>();
  for (const line of text.slice(start.length, Math.max(start.length, end)).split("\r\n")) {
    const [, name = "", value = ""] = headerLine.exec(line) ?? [];
    if (name === "") throw malformedRequest();
    const key = name.toLowerCase();
    if (headers.has(key)) throw tokenRefusal(`the AWS request contains the header ${key} twice`);
    headers.set(key, value.replaceAll(/[ \t]+/g, " ").trim());
  }
  return { method, target, headers, body: text.slice(end + 4) };
}

const malformedRequest = () => tokenRefusal("the AWS request is not a valid HTTP request");

/** The bytes of URL-safe base64 as text, one character for each byte. Undefined for other text. */
function decodeBase64Url(token: string): string | undefined {
  if (!/^[\w-]+={0,2}$/.test(token)) return undefined;
  try {
    return atob(token.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
}

/** The values that the request must contain. */
export interface RequestBinding {
  config: Config;
  /** The uid of the identity that the exchange requests. */
  identity: string;
  /** Milliseconds since 1970 in UTC. */
  now: number;
}

/**
 * Checks everything that can be checked without AWS. Throws PERMISSION_DENIED, which says what is wrong.
 * Returns the headers to send.
 */
export function checkSignedRequest(request: SignedRequest, binding: RequestBinding): Headers {
  const { headers, method, target, body } = request;
  const { vendor, issuerUrl } = binding.config;
  if (method !== "POST") throw tokenRefusal(`the AWS request must be a POST; it is a ${method}`);
  if (headers.get("host")?.toLowerCase() !== host) {
    throw tokenRefusal(`the AWS request must be for the host ${host}`);
  }
  checkTarget(target);
  if (body !== "" || (headers.get("content-length") ?? "0") !== "0") {
    throw tokenRefusal("the AWS request must not have a body");
  }
  const [audience, identity] = [`${vendor}-audience`, `${vendor}-identity`];
  const date = headers.get("x-amz-date") ?? "";
  const signed = signedHeaders(headers.get("authorization") ?? "", date);
  for (const name of ["host", "x-amz-date", audience, identity]) {
    if (!signed.includes(name))
      throw tokenRefusal(`the AWS signature must cover the header ${name}`);
  }
  if (headers.get(audience) !== issuerUrl) {
    throw tokenRefusal(`the AWS request must be for the audience ${issuerUrl}`);
  }
  if (headers.get(identity) !== binding.identity) {
    throw tokenRefusal("the AWS request is for another identity");
  }
  checkDate(date, binding.now);
  return headersToForward(headers, signed);
}

/** The path is the root and the query asks for the caller's identity. Neither contains anything else. */
function checkTarget(target: string): void {
  const url = URL.parse(target, `https://${host}`);
  const asked = [...(url?.searchParams ?? [])].map(([name, value]) => `${name}=${value}`);
  const wanted = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const isWanted =
    asked.length === wanted.length && wanted.every((parameter) => asked.includes(parameter));
  if (!/^\/\?[\w=&-]+$/.test(target) || !isWanted) {
    throw tokenRefusal(`the AWS request must ask for ${query.Action} and nothing else`);
  }
}

const authorizationPattern =
  /^AWS4-HMAC-SHA256 Credential=([\w+=,.@-]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, ?SignedHeaders=([a-z0-9;_-]+), ?Signature=[0-9a-f]{64}$/;

/** The names of the signed headers, from an Authorization header of the service `sts` with that date. */
function signedHeaders(authorization: string, date: string): string[] {
  const parts = authorizationPattern.exec(authorization);
  if (!parts) throw tokenRefusal("the AWS request must be signed with AWS4-HMAC-SHA256");
  const [, , day, , service, names = ""] = parts;
  if (service !== "sts") throw tokenRefusal("the AWS request must be signed for the service sts");
  if (day !== date.slice(0, 8))
    throw tokenRefusal("the AWS request must be signed for the day of its X-Amz-Date");
  return names.split(";");
}

const datePattern = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;

function checkDate(date: string, now: number): void {
  const signTime = Date.parse(date.replace(datePattern, "$1-$2-$3T$4:$5:$6Z"));
  if (!datePattern.test(date) || Number.isNaN(signTime))
    throw tokenRefusal("the AWS request must have an X-Amz-Date header such as 20260131T120000Z");
  if (signTime < now - maxAge) {
    throw tokenRefusal(
      `the AWS request is expired: it was signed at ${new Date(signTime).toISOString()}`,
    );
  }
  if (signTime > now + maxClockLead) {
    throw tokenRefusal(
      `the AWS request was signed in the future, at ${new Date(signTime).toISOString()}`,
    );
  }
}

/** The signed headers, and those that AWS needs to check the signature. */
function headersToForward(headers: Map<string, string>, signed: string[]): Headers {
  if (signed.some((name) => connectionHeaders.includes(name))) throw malformedRequest();
  const sent = new Headers({ accept: "application/json" });
  for (const name of [...signed, "authorization", "x-amz-security-token"]) {
    const value = headers.get(name);
    // fetch sets these two itself, to the values that were checked above.
    if (value !== undefined && name !== "host" && name !== "content-length") sent.set(name, value);
  }
  return sent;
}

/**
 * Sends the request to AWS, which returns the signer. Throws PERMISSION_DENIED if AWS rejects it, and
 * UNAVAILABLE if AWS cannot be reached or its response is unreadable.
 */
export async function askAws(config: Config, headers: Headers): Promise<AwsCaller> {
  const { status, text } = await send(config, headers);
  if (status === 429 || status >= 500) throw unavailable(`AWS returned HTTP ${status}`);
  if (status !== 200)
    throw tokenRefusal(`AWS rejected the request (HTTP ${status}${codeOf(text)})`);
  const caller = callerOf(text);
  if (!caller) throw unavailable("the response of AWS does not name the caller");
  return caller;
}

async function send(config: Config, headers: Headers): Promise<{ status: number; text: string }> {
  const url = `${config.awsStsUrl}/?${new URLSearchParams(query)}`;
  try {
    const signal = AbortSignal.timeout(responseTimeoutMs);
    const options = { method: "POST", headers, signal };
    const response = await fetchConfigured(config, "awsStsUrl", url, options);
    return { status: response.status, text: await response.text() };
  } catch {
    throw unavailable("AWS did not return a readable response");
  }
}

/** The error code of AWS, such as `, SignatureDoesNotMatch`. */
function codeOf(text: string): string {
  const code = /"Code"\s*:\s*"(\w{1,64})"|<Code>(\w{1,64})<\/Code>/.exec(text);
  return code ? `, ${code[1] ?? code[2]}` : "";
}

function callerOf(text: string): AwsCaller | undefined {
  try {
    const { GetCallerIdentityResponse: answer } = JSON.parse(text);
    const { Account: account, Arn: arn, UserId: userId } = answer.GetCallerIdentityResult;
    const isComplete = [account, arn, userId].every(
      (part) => typeof part === "string" && part !== "" && textViolation(part) === undefined,
    );
    if (isComplete && /^\d{12}$/.test(account)) return { account, arn, userId };
  } catch {
    // falls through: this is not the expected response
  }
  return undefined;
}
