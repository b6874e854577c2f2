/** `platformctl auth login` and `logout`. */
import type { Command } from "commander";
import { decodeJwt } from "jose/jwt/decode";
import { logInByBrowser } from "../account/browser_login.ts";
import { defaultPlatformUrl, findAccount, platformUrl } from "../account/credentials.ts";
import {
  discoverPlatform,
  endSession,
  exchangeToken,
  type PlatformAddresses,
  revokeRefreshToken,
  sessionOf,
} from "../account/exchange.ts";
import { deleteLogin, type Login, loginEnd, saveLogin } from "../account/logins.ts";
import { refusedFailure, usageFailure } from "../failure.ts";
import { openSource, readAllBytes } from "../import/lines.ts";
import { optionNamed } from "../resources/options.ts";
import { here } from "../surroundings.ts";
import { uidOfIdentity } from "./access_arguments.ts";
import {
  addJsonOption,
  type JsonOption,
  parseHttpUrl,
  parseUid,
  printAnswer,
  withExamples,
} from "./answer.ts";
import { setUpClients } from "./auth_docker.ts";

/** Adds `login` and `logout` to `auth`. */
export function addLogin(auth: Command): void {
  addJsonOption(
    addLoginOptions(
      auth
        .command("login")
        .description(
          "Log in through your organization's identity provider, in a browser or with a token.",
        ),
    ),
    "PLATFORM_URL=https://api.example.com platformctl auth login --issuer https://issuer.example.com --org acme.example",
    "platformctl auth login --org acme.example --device",
    "echo $OIDC_TOKEN | platformctl auth login --token-file - --identity $UID_OF_IDENTITY",
  ).action(login);
  addJsonOption(
    auth
      .command("logout")
      .description("Delete the login from this machine and end it at the issuer."),
    "platformctl auth logout",
  ).action(logout);
}

const addLoginOptions = (command: Command): Command =>
  command
    .option("--org <name>", "Your organization, by its verified name or its uid.")
    .option("--idp <uid>", "Identity provider to use, if the organization has several.", parseUid)
    .option("--invite <code>", "Accept this invite during the login.")
    .option("--no-browser", "Print the address instead of opening it.")
    .option(
      "--device",
      "Log in by a code that you type in a browser on any machine. This is the default where no browser can be opened. The login lasts at most an hour.",
    )
    .option(
      "--headless",
      "Log in with a browser on another machine. The login lasts at most an hour.",
    )
    .option(
      "--token <token>",
      "Log in with this OIDC token instead of a browser. Its audience must be the issuer.",
    )
    .addOption(optionNamed("tokenFile"))
    .addOption(optionNamed("identity"))
    .addOption(optionNamed("issuer").argParser(parseHttpUrl));

/** Adds `login`, which also lets the clients of the registry use the login. */
export function addLoginEverywhere(program: Command): void {
  withExamples(
    addLoginOptions(
      program
        .command("login")
        .description(
          "Log in, and let docker, podman and other clients that read their files use the login. The same as auth login, followed by auth docker. Without options, it uses the login that there is.",
        ),
    ),
    "platformctl login --org acme.example",
    "platformctl login    # on the machine of npm start, or after auth login",
  ).action(async (options: LoginOptions) => {
    const { browser, ...asked } = options;
    const isPlain = browser && Object.keys(asked).length === 0;
    const account = isPlain ? await findAccount().catch(() => undefined) : undefined;
    if (!account) await login(options);
    else here().stdout.write(`You are logged in to ${account.url}.\n`);
    await setUpClients(undefined, {});
  });
}

type LoginOptions = JsonOption & {
  org?: string;
  idp?: string;
  invite?: string;
  browser: boolean;
  device?: boolean;
  headless?: boolean;
  token?: string;
  tokenFile?: string;
  identity?: string | undefined;
  issuer?: string;
};

async function login(given: LoginOptions): Promise<void> {
  const options = { ...given, identity: await uidOfIdentity(given.identity) };
  const upstream = await tokenOf(options);
  const idp = upstream === undefined ? providerOf(options) : "";
  const url = platformUrl(here().env);
  const addresses = await discoverPlatform(
    options.issuer ?? (await defaultPlatformUrl(here().env)),
  );
  const tokens =
    upstream === undefined
      ? await logInInBrowser(addresses, idp, options)
      : await logInByToken(addresses, upstream, options);
  const login: Login = { ...addresses, url: url ?? addresses.url, ...tokens };
  await saveLogin(here().env, login.url, login);
  const identity = decodeJwt(login.token).sub ?? "";
  const until = loginEnd(login);
  printAnswer(
    options,
    { url: login.url, identity, expiry: until },
    `Logged in to ${login.url} as ${identity} until ${until}.`,
  );
}

type Tokens = Pick<Login, "token" | "expiry" | "refreshToken" | "refreshExpiry" | "session">;

async function logInByToken(
  addresses: PlatformAddresses,
  upstream: string,
  { identity }: LoginOptions,
): Promise<Tokens> {
  const { token, expiry } = await exchangeToken({
    issuer: addresses.issuer,
    token: upstream,
    // With the issuer as an audience, the issuer accepts this token in exchange for a registry token.
    audiences: [addresses.issuer, addresses.audience],
    identity,
  });
  return { token, expiry: expiry.toISOString() };
}

async function logInInBrowser(
  addresses: PlatformAddresses,
  idp: string,
  { headless, device, browser, identity, invite }: LoginOptions,
): Promise<Tokens> {
  if (device && (headless || invite))
    throw usageFailure("Use --device without --headless and without --invite.");
  const opened = browser ? "browser" : "here";
  const remote = device ? "device" : "elsewhere";
  const where = device || headless ? remote : opened;
  const asked = { idp, identity, invite, where } as const;
  const say = (text: string) => void here().stderr.write(`${text}\n`);
  const { token, refreshToken } = await logInByBrowser(addresses, asked, here().env, say);
  const expiry = toTime(decodeJwt(token).exp);
  const session = sessionOf(token);
  if (refreshToken === "") return { token, expiry, ...(session === undefined ? {} : { session }) };
  return { token, expiry, refreshToken, refreshExpiry: toTime(refreshExpiryOf(refreshToken)) };
}

const toTime = (seconds = 0) => new Date(seconds * 1000).toISOString();

/** A refresh token is the base64 of JSON with an `exp` (contract: hosts and tokens). */
function refreshExpiryOf(token: string): number {
  const { exp } = JSON.parse(Buffer.from(token, "base64").toString()) as { exp: number };
  return exp;
}

function providerOf({ org, idp, token, tokenFile }: LoginOptions): string {
  const named = idp ?? org;
  if (named && token === undefined && tokenFile === undefined) return named;
  throw usageFailure(
    "Name your organization with --org, or an identity provider with --idp. To log in with an OIDC token instead, use --token or --token-file.",
  );
}

async function tokenOf({ token, tokenFile }: LoginOptions): Promise<string | undefined> {
  if (token !== undefined && tokenFile !== undefined) {
    throw usageFailure("Use either --token or --token-file, not both.");
  }
  if (token !== undefined) return token.trim();
  if (tokenFile === undefined) return undefined;
  const text = (await readAllBytes(await openSource(tokenFile), 64 * 1024)).toString("utf8").trim();
  if (text === "" || /\s/.test(text))
    throw usageFailure(`${tokenFile} must contain exactly one token.`);
  return text;
}

async function logout(options: JsonOption): Promise<void> {
  const url = await defaultPlatformUrl(here().env);
  const dropped = await deleteLogin(here().env, url);
  if (!dropped) throw refusedFailure("NOT_LOGGED_IN", `You are not logged in to ${url}.`);
  // The login is deleted first. If the issuer does not respond, the command only reports it.
  if (dropped.refreshToken) await revokeRefreshToken(dropped.issuer, dropped.refreshToken);
  else if (dropped.session) await endSession(dropped.url, dropped.token, dropped.session);
  printAnswer(options, { url }, `Logged out of ${url}.`);
}
