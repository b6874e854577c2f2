/** `platformctl auth doctor`: says why a token is refused, and which identities accept too much. */
import type { Command } from "commander";
import { decodeJwt } from "jose/jwt/decode";
import { exitCodes, usageFailure } from "../failure.ts";
import { diagnosisText } from "../resources/diagnosis.ts";
import { isObject, type JsonObject } from "../resources/flags.ts";
import { readInput } from "../resources/input.ts";
import { findUid, requireResourceNamed } from "../resources/names.ts";
import { optionNamed, parseCount } from "../resources/options.ts";
import { openPlatform, type PlatformClient, responsesOf } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { requireGroup } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

const rpc = "platform.iam.diagnosis.v2.TokenDiagnosisService/DiagnoseToken";

type Options = JsonOption & {
  group?: string;
  tokenFile?: string;
  claims?: string;
  identity?: string;
  everyIdentity?: boolean;
  similar: number;
};

const description = `Find out why a token is refused. The command compares the token with the
identities of a group and of all groups below it, field by field, and shows how
they differ. It also warns of identities that accept more than they seem to.

The token comes from a file or from standard input, because other users of the
machine can see the arguments of a command. The platform neither stores nor logs
it. With --claims, the signature is not checked. Without a token and claims, the
command only shows warnings, and reads every identity of the group.

Only owners of the group can use this command.

Exit code 0 means that an identity accepts the token, or that the claims match
and no check failed. Without a token and claims, it means that there are no
warnings. Otherwise the exit code is 1.`;

/** Adds `auth doctor`. */
export function addAuthDoctor(auth: Command): void {
  addJsonOption(
    auth
      .command("doctor")
      .summary("Find out why a token is refused.")
      .description(description)
      .addOption(optionNamed("group"))
      .addOption(optionNamed("tokenFile"))
      .option("--claims <file>", "File with the claims as JSON, or - for standard input.")
      .addOption(optionNamed("identity"))
      .option("--every-identity", "Compare every identity, and not only the most similar ones.")
      .option("--similar <n>", "Show at most n identities, the most similar ones.", parseCount, 5),
    "platformctl auth doctor --token-file token.jwt",
    "printenv ID_TOKEN | platformctl auth doctor --group acme.example --token-file -",
    "platformctl auth doctor --claims claims.json --identity github-actions",
    "platformctl auth doctor --group acme.example    # only warnings",
  ).action(showDiagnosis);
}

async function showDiagnosis(options: Options): Promise<void> {
  const input = readGiven(options);
  const platform = await openPlatform();
  const diagnosis = await explainFailure({ verb: "call", platform }, async () => {
    const uid = await requireGroup(platform, options.group);
    const identityUid =
      options.identity === undefined
        ? undefined
        : await findUid(platform, requireResourceNamed("identity"), options.identity, {
            below: uid,
            displayName: options.group,
          });
    const request = { uid, ...input, ...(identityUid ? { identityUid } : {}), pageSize: 50 };
    if (options.everyIdentity) return readAll(platform, { ...request, all: true });
    // Without a token or claims, there is nothing to be similar to.
    return isComparison(input) ? platform.call(rpc, request) : readAll(platform, request);
  });
  const text = diagnosisText(diagnosis, options.similar);
  printAnswer(options, diagnosis, [text, ...registryNote(input, platform)].join("\n\n"));
  if (!isHealthy(diagnosis, input)) here().exitCode = exitCodes.refused;
}

/** The diagnosis is about calls of the API. The registry takes tokens with another audience. */
function registryNote({ token }: JsonObject, { account }: PlatformClient): string[] {
  if (typeof token !== "string") return [];
  const audience = account.registryAudience;
  const isForRegistry = [readAudience(token)].flat().includes(audience);
  return isForRegistry
    ? []
    : [
        `docker, skopeo and other clients of the registry need a token for the audience ${audience}.`,
      ];
}

function readAudience(token: string): string | string[] {
  try {
    return decodeJwt(token).aud ?? [];
  } catch {
    return [];
  }
}

/** The token or the claims. Throws a USAGE Failure, which never contains any of them. */
function readGiven({ tokenFile, claims }: Options): JsonObject {
  if (tokenFile !== undefined && claims !== undefined)
    throw usageFailure("Use either --token-file or --claims.");
  if (tokenFile !== undefined) {
    const token = readText("--token-file", tokenFile)
      .trim()
      .replace(/^Bearer +/i, "");
    if (/^\S+$/.test(token)) return { token };
    throw usageFailure("--token-file must contain one token, without spaces in it.");
  }
  if (claims === undefined) return {};
  try {
    const value: unknown = JSON.parse(readText("--claims", claims));
    if (isObject(value)) return { claims: value };
  } catch (error) {
    // The message of the error quotes the text, which is as confidential as the token.
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw usageFailure("--claims must contain a JSON object: the payload of a token.");
}

function readText(option: string, file: string): string {
  try {
    return readInput(file).toString("utf8");
  } catch (error) {
    throw usageFailure(`${option} cannot be read: ${(error as Error).message}`);
  }
}

const isComparison = ({ token, claims }: JsonObject) => token !== undefined || claims !== undefined;

/** Returns all pages as one response. */
async function readAll(platform: PlatformClient, request: JsonObject): Promise<JsonObject> {
  let checks: unknown;
  const identities: unknown[] = [];
  for await (const page of responsesOf(platform, rpc, request)) {
    checks ??= page.checks;
    identities.push(...((page.identities ?? []) as unknown[]));
  }
  return { ...(checks === undefined ? {} : { checks }), identities };
}

type Rows = { exchange?: string; bearer?: string; outcome?: string; warnings?: unknown[] }[];

function isHealthy(diagnosis: JsonObject, input: JsonObject): boolean {
  const identities = (diagnosis.identities ?? []) as Rows;
  const checks = (diagnosis.checks ?? []) as Rows;
  if (!isComparison(input)) return identities.every(({ warnings = [] }) => warnings.length === 0);
  const good = input.claims ? "TOKEN_ACCEPTANCE_UNDECIDED" : "TOKEN_ACCEPTANCE_ACCEPTED";
  return (
    identities.some(({ exchange, bearer }) => exchange === good || bearer === good) &&
    checks.every(({ outcome }) => outcome !== "CHECK_OUTCOME_FAILED")
  );
}
