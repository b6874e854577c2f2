/** Asks an issuer whether a login can succeed before a user opens a browser and waits. */
import { uidPattern } from "../../client/request.ts";
import { refusedFailure, toFailure, unreachableFailure } from "../failure.ts";
import { fetchIssuerText } from "./exchange.ts";

/** A redirect address that no one ever opens. The issuer would send its error there. */
const unusedRedirect = "http://127.0.0.1/";
const timeoutMs = 30_000;

/**
 * Checks a login. `idp` is the uid of an identity provider, or the name or uid of its organization. Throws NOT_FOUND if
 * there is no such provider, LOGIN_REFUSED with the issuer's reason, or UNREACHABLE.
 */
export async function checkLogin(issuer: string, idp: string): Promise<void> {
  if (!uidPattern.test(idp)) await checkName(issuer, idp);
  const refusal = await loginRefusal(issuer, idp);
  if (!refusal) return;
  if (refusal.status === "404") {
    throw refusedFailure(
      "NOT_FOUND",
      `${idp} is neither an identity provider at ${issuer} nor an organization that has one.`,
    );
  }
  throw refusedFailure(
    "LOGIN_REFUSED",
    `${issuer} does not allow a login to ${idp}: ${refusal.reason}`,
  );
}

/** Calls `/orgcheck`, which returns `true` or `false` (contract: browser login parameters). */
async function checkName(issuer: string, name: string): Promise<void> {
  const address = `${issuer}/orgcheck`;
  const answer = (await fetchIssuerText(`${address}?${new URLSearchParams({ name })}`, {})).trim();
  if (answer === "true") return;
  if (answer !== "false") throw unreachableFailure(`${address} returned neither true nor false.`);
  throw refusedFailure(
    "NOT_FOUND",
    `No one can log in to ${name} at ${issuer}. It is not the name of a verified organization, or that organization has no identity provider.\n` +
      "If the organization is not verified, use its uid. To log in without a browser: platformctl auth login --token-file FILE",
  );
}

/** Returns the status and the reason if the issuer rejects the login. */
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
      throw unreachableFailure(`${issuer} did not respond within ${timeoutMs / 1000} seconds.`);
    }
    throw toFailure(error, issuer);
  }
}
