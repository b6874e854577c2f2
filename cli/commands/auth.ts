/** `platformctl auth`: tokens to call the platform with. */

import { type Command, InvalidArgumentError } from "commander";
import { defaultPlatformUrl, findAccount } from "../account/credentials.ts";
import { addJsonOption, type JsonOption, parseUid, printAnswer, withExamples } from "./answer.ts";
import { addLogin } from "./login.ts";

/** Adds `auth` and its subcommands. */
export function addAuth(program: Command): void {
  const auth = withExamples(
    program
      .command("auth")
      .description("log in, log out, mint tokens, and print the platform's address"),
    "platformctl auth login --org example.com",
    "TOKEN=$(platformctl auth token)",
  );
  addJsonOption(
    auth
      .command("token")
      .description("print an access token and nothing else")
      .option(
        "--audience <audience>",
        "`api`, `registry`, or an audience as tokens carry it",
        audienceOf,
        "api",
      )
      .option("--identity <uid>", "the identity to be, if not yourself", parseUid),
    'curl -H "Authorization: Bearer $(platformctl auth token)" $PLATFORM_URL/registry/v2/repos',
    "platformctl auth token --audience registry | docker login -u _token --password-stdin localhost:8787",
  ).action(printToken);
  addJsonOption(
    auth.command("url").description("print the platform's address and nothing else"),
    'curl "$(platformctl auth url)/ping/v2/ping"',
  ).action(async (options: JsonOption) => {
    const url = await defaultPlatformUrl(process.env);
    printAnswer(options, { url }, url);
  });
  addLogin(auth);
}

function audienceOf(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("No platform takes a token for nobody.");
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
  printAnswer(options, { token, expiry, audience }, token);
}
