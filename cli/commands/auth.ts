/** `platformctl auth`: tokens to call the platform with. */

import type { Command } from "commander";
import { decodeJwt } from "jose";
import { findAccount, platformUrl } from "../credentials.ts";
import { discover, exchange } from "../exchange.ts";
import { usage } from "../failure.ts";
import { openSource, readWhole } from "../import_lines.ts";
import { saveLogin } from "../logins.ts";
import { answer, finish, httpUrl, type JsonOption, uid } from "./answer.ts";

/** Adds `auth` and its subcommands. */
export function addAuth(program: Command): void {
  const auth = program.command("auth").description("log in, and mint tokens");
  finish(
    auth
      .command("token")
      .description("print an access token and nothing else")
      .option(
        "--audience <audience>",
        "`api`, `registry`, or an audience as tokens carry it",
        "api",
      )
      .option("--identity <uid>", "the identity to be, if not yourself", uid),
    'curl -H "Authorization: Bearer $(platformctl auth token)" $PLATFORM_URL/registry/v2/repos',
    "platformctl auth token --audience registry | docker login -u _token --password-stdin localhost:8787",
  ).action(printToken);
  finish(
    auth
      .command("login")
      .description(
        "exchange the token of an identity provider and keep the outcome, at most an hour",
      )
      .option("--token <token>", "an OIDC token whose audience is the issuer")
      .option("--token-file <file>", "file with such a token; `-` is standard input")
      .option(
        "--identity <uid>",
        "the identity to assume; without it, the person the token names",
        uid,
      )
      .option("--issuer <url>", "issuer of the platform, if it is not at PLATFORM_URL", httpUrl),
    "PLATFORM_URL=https://api.example.com platformctl auth login --issuer https://issuer.example.com --token-file token.txt",
    "echo $OIDC_TOKEN | platformctl auth login --token-file - --identity $UID_OF_IDENTITY",
  ).action(login);
}

async function printToken(
  options: JsonOption & { audience: string; identity?: string },
): Promise<void> {
  const account = await findAccount();
  const audiences: Record<string, string> = {
    api: account.audience,
    registry: account.registryAudience,
  };
  const audience = audiences[options.audience] ?? options.audience;
  const { token, expiry } = await account.token({ audience, identity: options.identity });
  answer(options, { token, expiry, audience }, token);
}

type LoginOptions = JsonOption & {
  token?: string;
  tokenFile?: string;
  identity?: string;
  issuer?: string;
};

async function login(options: LoginOptions): Promise<void> {
  const upstream = await tokenOf(options);
  const url = platformUrl(process.env);
  const addresses = await discover(options.issuer ?? url ?? "http://localhost:8787");
  const { token, expiry } = await exchange({
    issuer: addresses.issuer,
    token: upstream,
    // The issuer too, so that it takes this token in exchange for one for the registry.
    audiences: [addresses.issuer, addresses.audience],
    identity: options.identity,
  });
  const key = url ?? addresses.url;
  await saveLogin(process.env, key, {
    ...addresses,
    url: key,
    token,
    expiry: expiry.toISOString(),
  });
  const identity = decodeJwt(token).sub ?? "";
  answer(
    options,
    { url: key, identity, expiry },
    `Logged in to ${key} as ${identity} until ${expiry.toISOString()}.`,
  );
}

async function tokenOf({ token, tokenFile }: LoginOptions): Promise<string> {
  if ((token === undefined) === (tokenFile === undefined)) {
    throw usage("Give the token of your identity provider with either --token or --token-file.");
  }
  if (token !== undefined) return token.trim();
  const file = tokenFile ?? "-";
  const text = (await readWhole(await openSource(file), 64 * 1024)).toString("utf8").trim();
  if (text === "" || /\s/.test(text)) throw usage(`${file} does not hold one token.`);
  return text;
}
