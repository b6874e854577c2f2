/** `platformctl whoami`: shows the identity that commands run as, and its roles. */
import type { Command } from "commander";
import { decodeJwt } from "jose/jwt/decode";
import { PermissionDenied } from "../../client/errors.ts";
import { type Client, withAccount } from "../account/client.ts";
import { showWaiting } from "../import/progress.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

/** Adds `whoami`. */
export function addWhoami(program: Command): void {
  addJsonOption(
    program
      .command("whoami")
      .description("Show your identity, your roles and how long your login lasts."),
    "platformctl whoami",
    "platformctl whoami --json | jq -r .identity.uid",
  ).action(whoami);
}

async function whoami(options: JsonOption): Promise<void> {
  const { account, expiry, claims, bindings } = await showWaiting(
    "reading your identity and roles",
    withAccount(async (client, account) => {
      const { token, expiry } = await account.token({ audience: account.audience });
      const claims = decodeJwt(token);
      const bindings = await bindingsOf(client, claims.sub ?? account.identity);
      return { account, expiry, claims, bindings };
    }),
  );
  const roles = bindings?.map(({ group, role }) => ({
    group: { uid: group?.uid, name: group?.name },
    role: { uid: role?.uid, name: role?.name },
  }));
  const name = bindings?.[0]?.identity?.name ?? textClaim(claims, "email");
  const value = {
    identity: { uid: claims.sub, name },
    roles,
    url: account.url,
    expiry: account.loginExpiry ?? expiry.toISOString(),
  };
  const lines = [
    `Identity  ${[name, claims.sub].filter(Boolean).join("  ")}`,
    `Platform  ${account.url}`,
    account.loginExpiry
      ? `Login     until ${account.loginExpiry}`
      : `Token     until ${value.expiry}`,
    ...(roles ?? []).map(
      ({ group, role }) => `Role      ${role.name} of ${group.name}  ${group.uid}`,
    ),
    ...(roles ? [] : ["Role      (you cannot list role bindings)"]),
    ...(roles?.length === 0 ? ["Role      none"] : []),
  ];
  printAnswer(options, value, lines.join("\n"));
}

/** Returns the role bindings of an identity, or undefined if it may not list them. */
async function bindingsOf(client: Client, identity: string) {
  try {
    return await client.roleBindings.list({ identity, pageSize: 200 }).all();
  } catch (error) {
    if (error instanceof PermissionDenied) return undefined;
    throw error;
  }
}

/** Returns a text claim of the token, or of the token that it was exchanged for. */
function textClaim(claims: Record<string, unknown>, name: string): string | undefined {
  const act = claims.act as Record<string, unknown> | undefined;
  const value = claims[name] ?? act?.[name];
  return typeof value === "string" ? value : undefined;
}
