/** The decision ids of refusals, opened with the keys of the tests. */
import { inject } from "vitest";
import { type AccessDecision, openDecision } from "../../src/auth/access_decision.ts";
import { decisionIdOf } from "../iam/access/calls.ts";

/** The decision of an error in JSON, or undefined if it has none. */
export async function decisionOf(body: unknown): Promise<AccessDecision | undefined> {
  const id = decisionIdOf(body);
  const pageTokenKeys = JSON.parse(inject("pageTokenKeys")) as string[];
  return id === "" ? undefined : openDecision({ pageTokenKeys }, id, Date.now());
}

/**
 * A refusal as text, to compare refusals that differ only in the uid that was sent. The decision id contains
 * that uid and the time. Both are taken out of it, and everything else in it is compared.
 */
export async function comparableRefusal(body: unknown, uid: string): Promise<string> {
  const id = decisionIdOf(body);
  const { time: _, resource = "", ...rest } = (await decisionOf(body)) ?? {};
  const decision = { ...rest, isAboutUid: resource === uid, isAboutNothing: resource === "" };
  const text = JSON.stringify(body);
  return id === "" ? text : text.replace(id, JSON.stringify(decision));
}

/** The length that every id about a uid of that length has. It must be the same whether or not the resource exists. */
export const lengthWithoutUid = (body: unknown, uid: string) =>
  Buffer.from(decisionIdOf(body), "base64url").length - uid.length;

/** A refusal, as text or parsed, as text without the value of its decision id, which always differs. */
export const withoutDecisionId = (body: unknown): string =>
  (typeof body === "string" ? body : String(JSON.stringify(body))).replace(
    /"(decision_?[iI]d)":"[\w-]+"/,
    '"$1":"…"',
  );
