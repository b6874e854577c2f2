/** `platformctl auth`: the tokens that calls to the platform carry. */

import { type Command, InvalidArgumentError } from "commander";
import { defaultPlatformUrl, findAccount } from "../account/credentials.ts";
import { optionNamed } from "../resources/options.ts";
import { here } from "../surroundings.ts";
import { uidOfIdentity } from "./access_arguments.ts";
import { addJsonOption, type JsonOption, printAnswer, withExamples } from "./answer.ts";
import { addAuthDocker } from "./auth_docker.ts";
import { addAuthDoctor } from "./auth_doctor.ts";
import { addSessions } from "./auth_sessions.ts";
import { addLogin } from "./login.ts";

/** Adds `auth` and its subcommands. */
export function addAuth(program: Command): void {
  const auth = withExamples(
    program
      .command("auth")
      .description("Log in, log out, print tokens and the platform's address, and check tokens."),
    "platformctl auth login --org acme.example",
    "TOKEN=$(platformctl auth token)",
  );
  addJsonOption(
    auth
      .command("token")
      .description("Print an access token and nothing else.")
      .option(
        "--audience <audience>",
        "`api`, `registry`, or the exact audience of the token.",
        audienceOf,
        "api",
      )
      .addOption(optionNamed("identity")),
    'curl -H "Authorization: Bearer $(platformctl auth token)" $PLATFORM_URL/registry/v2/repos',
    "platformctl auth token --audience registry | docker login -u _token --password-stdin localhost:8787",
  ).action(printToken);
  addJsonOption(
    auth.command("url").description("Print the platform's address and nothing else."),
    'curl "$(platformctl auth url)/ping/v2/ping"',
  ).action(async (options: JsonOption) => {
    const url = await defaultPlatformUrl(here().env);
    printAnswer(options, { url }, url);
  });
  addLogin(auth);
  addAuthDocker(auth);
  addSessions(auth);
  addAuthDoctor(auth);
}

function audienceOf(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("The audience must not be empty.");
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
  const { token, expiry } = await account.token({
    audience,
    identity: await uidOfIdentity(options.identity),
  });
  printAnswer(options, { token, expiry, audience }, token);
}
