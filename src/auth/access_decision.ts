/**
 * Decision ids: what a PERMISSION_DENIED error was about, in a text that only the platform can create and
 * read. Nothing is stored for it. It contains only what the caller sent and who the caller is, so it reveals
 * nothing about the resource.
 */
import type { ConnectError } from "@connectrpc/connect";
import { type ErrorInfo, ErrorInfoSchema } from "../../schema/gen/google/rpc/error_details_pb.js";
import { failedPrecondition, notFound, permissionDenied } from "../aip/errors.ts";
import type { Config } from "../config.ts";
import type { Credential } from "./call.ts";
import { openText, sealText } from "./sealed.ts";
import { peopleOf } from "./token_chain.ts";

/** The access that a caller needed. */
export interface Denial {
  /** The numbers of the capabilities. */
  capabilities: readonly number[];
  /** The uid in the call. Empty if it named none. */
  resource: string;
  /** The image in a request to the registry host, as it was sent. */
  image?: string;
}

/** A denial with the caller and the time. */
export interface AccessDecision extends Denial {
  /** Milliseconds since 1970 in UTC. */
  time: number;
  /** The full name of the RPC, or the action on the registry host. */
  method: string;
  /** The caller. The chain contains only the people who came in without a login. */
  credential: Credential;
  /** Whether limits of the token are left out because they are too long. */
  isTruncated: boolean;
}

/** How long a decision can be read, in milliseconds: 30 days. */
export const decisionLifetime = 30 * 24 * 3600 * 1000;

/** The denials of errors, until {@link addDecisionId} adds their id. */
const denials = new WeakMap<ConnectError, Denial>();

/** PERMISSION_DENIED for a missing access, which gets a decision id. `text` is its message. */
export function accessDenied(text: string, denial: Denial): ConnectError {
  const error = permissionDenied(text);
  denials.set(error, denial);
  return error;
}

/** The caller, the method and the time of a call. */
type DecidedCall = Pick<AccessDecision, "credential" | "method" | "time">;

/** Adds the decision id to the ErrorInfo of an error that has a denial. Other errors stay as they are. */
export async function addDecisionId(config: Config, thrown: unknown, call: DecidedCall) {
  const denial = denials.get(thrown as ConnectError);
  if (!denial) return;
  const id = await sealDecision(config, { ...denial, ...call });
  for (const detail of (thrown as ConnectError).details) {
    if (!("desc" in detail) || detail.desc.typeName !== ErrorInfoSchema.typeName) continue;
    (detail.value as ErrorInfo).metadata.decision_id = id;
  }
}

/** The most bytes of a decision as JSON. Its id must fit into the trailers of gRPC. */
const maxLength = 3_000;

/** A decision as JSON, with short names because the text becomes part of an error. */
interface Stored {
  t: number;
  m: string;
  c: readonly number[];
  r: string;
  i?: string | undefined;
  /** The uid of the identity, or the issuer, the subject and the uid of the person. */
  b: string | [string, string, string];
  /** The scopes and the capabilities that the token is narrowed to. */
  s?: string[] | undefined;
  l?: number[] | undefined;
  /** The login: the identity provider and the groups. */
  g?: [string, string[]] | undefined;
  /** The people in the chain. */
  p?: string[] | undefined;
  /** 1 if limits are left out. */
  x?: 1;
}

function toStored({ credential, ...decision }: AccessDecision | (Denial & DecidedCall)): Stored {
  const { bearer, scopes, capabilities, login, chain } = credential;
  const people = peopleOf(chain);
  const whole: Stored = {
    t: decision.time,
    m: decision.method,
    c: decision.capabilities,
    r: decision.resource,
    ...(decision.image === undefined ? {} : { i: decision.image }),
    b: "uid" in bearer ? bearer.uid : [bearer.issuer, bearer.subject, bearer.person],
    ...(scopes && { s: scopes }),
    ...(capabilities && { l: capabilities }),
    ...(login && { g: [login.identityProvider, login.groups] }),
    ...(people.length > 0 && { p: people }),
  };
  if (bytesOf(whole) <= maxLength) return whole;
  const { s: _, l: __, g, ...rest } = whole;
  const short: Stored = { ...rest, ...(g && { g: [g[0], []] }), x: 1 };
  if (bytesOf(short) <= maxLength || "uid" in bearer) return short;
  return { ...short, b: bearer.person };
}

const bytesOf = (stored: Stored) => new TextEncoder().encode(JSON.stringify(stored)).length;

function fromStored({ b, s, l, g, p = [], ...stored }: Stored): AccessDecision {
  const bearer = typeof b === "string" ? { uid: b } : { issuer: b[0], subject: b[1], person: b[2] };
  return {
    time: stored.t,
    method: stored.m,
    capabilities: stored.c,
    resource: stored.r,
    ...(stored.i === undefined ? {} : { image: stored.i }),
    credential: {
      bearer,
      ...(s && { scopes: s }),
      ...(l && { capabilities: l }),
      ...(g && { login: { identityProvider: g[0], groups: g[1] } }),
      chain: p.map((sub) => ({ sub })),
      act: {},
    },
    isTruncated: stored.x === 1,
  };
}

const purpose = { name: "platform access decision" };

/**
 * The id of a decision, in base64url. It is encrypted and authenticated with the first of PAGE_TOKEN_KEYS,
 * which every Worker has.
 */
export async function sealDecision(
  { pageTokenKeys }: Pick<Config, "pageTokenKeys">,
  decision: Denial & DecidedCall,
): Promise<string> {
  return sealText(pageTokenKeys, purpose, JSON.stringify(toStored(decision)));
}

/**
 * Opens the id of a decision. Throws NOT_FOUND if the platform did not create it, and FAILED_PRECONDITION if
 * it is older than 30 days.
 */
export async function openDecision(
  { pageTokenKeys }: Pick<Config, "pageTokenKeys">,
  id: string,
  now: number,
): Promise<AccessDecision> {
  const text = await openText(pageTokenKeys, purpose, id);
  if (text === undefined) throw notFound("iam/AccessDecision", "with that id");
  // A cast, because this purpose seals only decisions.
  const stored = JSON.parse(text) as Stored;
  if (stored.t + decisionLifetime <= now) {
    const advice = "the decision is older than 30 days; make the call again to get a new one";
    throw failedPrecondition("DECISION_EXPIRED", advice);
  }
  return fromStored(stored);
}
