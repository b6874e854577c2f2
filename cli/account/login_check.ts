/** Asks an issuer whether a login can work, before a person is sent to a browser and waited for. */
import { uidPattern } from "../../client/request.ts";
import { refusedFailure, toFailure, unreachableFailure } from "../failure.ts";
import { fetchIssuerText } from "./exchange.ts";

/** An address of this machine that nobody is sent to: it only says where the issuer puts a refusal. */
const unusedRedirect = "http://127.0.0.1/";
const timeoutMs = 30_000;

/**
 * `idp` is the uid of an identity provider, or the name or uid of its organization. Throws NOT_FOUND
 * where there is none, LOGIN_REFUSED with the issuer's reason, UNREACHABLE where the issuer does not answer.
 */
export async function checkLogin(issuer: string, idp: string): Promise<void> {
  if (!uidPattern.test(idp)) await checkName(issuer, idp);
  const refusal = await loginRefusal(issuer, idp);
  if (!refusal) return;
  if (refusal.status === "404") {
    throw refusedFailure(
      "NOT_FOUND",
      `There is no identity provider ${idp} at ${issuer}, and no organization of that uid that has one.`,
    );
  }
  throw refusedFailure("LOGIN_REFUSED", `${issuer} refuses a login to ${idp}: ${refusal.reason}`);
}

/** By `/orgcheck`, which answers `true` or `false` (contract: browser login parameters). */
async function checkName(issuer: string, name: string): Promise<void> {
  const at = `${issuer}/orgcheck`;
  const answer = (await fetchIssuerText(`${at}?${new URLSearchParams({ name })}`, {})).trim();
  if (answer === "true") return;
  if (answer !== "false") throw unreachableFailure(`${at} answered neither true nor false.`);
  throw refusedFailure(
    "NOT_FOUND",
    `Nobody can log in to ${name} at ${issuer}: there is no verified organization of that name, or it has no identity provider.\n` +
      "Of an organization that is not verified, give the uid. Without a browser: platformctl auth login --token-file FILE",
  );
}

/** What the issuer answers to the login itself, if it refuses it: the number of a status, and words. */
async function loginRefusal(issuer: string, idp: string) {
  const query = new URLSearchParams({ idp_id: idp, exit: "redirect", redirect: unusedRedirect });
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${issuer}/oauth?${query}`, { redirect: "manual", signal });
    await response.body?.cancel();
    const to = response.headers.get("location") ?? "";
    if (!to.startsWith(unusedRedirect)) return undefined;
    const { error: reason = "", status_code: status = "" } = Object.fromEntries(
      new URL(to).searchParams,
    );
    return { reason, status };
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") {
      throw unreachableFailure(`${issuer} did not answer within ${timeoutMs / 1000} seconds.`);
    }
    throw toFailure(error, issuer);
  }
}
