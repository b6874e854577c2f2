/** `platformctl scim`: manages the token that an identity provider uses to provision people and groups. */
import { type Command, InvalidArgumentError } from "commander";
import { refusedFailure } from "../failure.ts";
import { withoutControls } from "../resources/cells.ts";
import type { JsonObject } from "../resources/flags.ts";
import { findResource, requireResourceNamed } from "../resources/names.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { parseDuration } from "../resources/values.ts";
import { searchPlaceIn } from "../resources/where.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

const service = "platform.iam.v2.IdentityProvidersService";

type ScimOptions = JsonOption & { group?: string };
type TokenOptions = ScimOptions & { expiresIn?: number; neverExpires?: boolean; overlap?: number };

/** Adds the subcommands of `scim`. */
export function addScim(command: Command): void {
  const add = (name: string, text: string) =>
    command
      .command(name)
      .description(text)
      .argument("<identity-provider>", "Name or uid of the identity provider.")
      .option(
        "-g, --group <group>",
        "Look for the identity provider in this group (default: PLATFORM_GROUP).",
      );
  const life = (sub: Command) =>
    sub
      .option("--expires-in <duration>", "How long the token is valid, such as 90d.", duration)
      .option("--never-expires", "Create a token that is valid until you revoke it.");
  addJsonOption(
    life(add("token", "Create the token. It is shown only once.")),
    "platformctl scim token sso",
  ).action((name: string, options: TokenOptions) => token(name, options, "GenerateScimToken"));
  addJsonOption(
    life(add("rotate", "Replace the token with a new one.")).option(
      "--overlap <duration>",
      "How long the old token stays valid, such as 1h.",
      duration,
    ),
    "platformctl scim rotate sso --overlap 1h",
  ).action((name: string, options: TokenOptions) => token(name, options, "RegenerateScimToken"));
  addJsonOption(add("revoke", "Revoke the token."), "platformctl scim revoke sso").action(revoke);
  addJsonOption(add("enable", "Turn SCIM on."), "platformctl scim enable sso").action(
    (name: string, options: ScimOptions) => setEnabled(name, options, true),
  );
  addJsonOption(
    add("disable", "Turn SCIM off and keep the token."),
    "platformctl scim disable sso",
  ).action((name: string, options: ScimOptions) => setEnabled(name, options, false));
}

function duration(text: string): number {
  const length = parseDuration(text);
  if (length !== undefined) return length;
  throw new InvalidArgumentError("It must be a duration such as 30d, 12h or 90s.");
}

const providerOf = async (
  platform: PlatformClient,
  name: string,
  { group }: ScimOptions,
): Promise<JsonObject> =>
  findResource(
    platform,
    requireResourceNamed("identityProvider"),
    name,
    await searchPlaceIn(platform, group),
  );

/** Returns the etag that a change must send, so that two concurrent changes do not overwrite each other. */
function etagOf(provider: JsonObject): string {
  const etag = (provider.scim as JsonObject | undefined)?.etag;
  if (typeof etag === "string") return etag;
  throw refusedFailure(
    "NOT_FOUND",
    `${provider.name} has no SCIM token. To create one, run: platformctl scim token ${provider.uid}`,
  );
}

async function token(
  name: string,
  options: TokenOptions,
  method: "GenerateScimToken" | "RegenerateScimToken",
): Promise<void> {
  const platform = await openPlatform();
  const { expiresIn, neverExpires, overlap } = options;
  const made = await explainFailure({ verb: "call", platform }, async () => {
    const provider = await providerOf(platform, name, options);
    return platform.call(`${service}/${method}`, {
      identityProviderUid: provider.uid,
      ...(method === "RegenerateScimToken" ? { etag: etagOf(provider) } : {}),
      ...(overlap === undefined ? {} : { overlap: `${overlap / 1000}s` }),
      ...(expiresIn === undefined
        ? {}
        : { expireTime: new Date(Date.now() + expiresIn).toISOString() }),
      ...(neverExpires ? { neverExpires } : {}),
    });
  });
  const lines = [
    `Token     ${made.token}`,
    `Endpoint  ${made.endpointUrl}`,
    `Expires   ${made.expireTime ?? "never"}`,
  ];
  printAnswer(options, made, plainLinesOf(lines));
}

const plainLinesOf = (lines: string[]) => lines.map(withoutControls).join("\n");

async function revoke(name: string, options: ScimOptions): Promise<void> {
  const platform = await openPlatform();
  const done = await explainFailure({ verb: "call", platform }, async () => {
    const { uid } = await providerOf(platform, name, options);
    return platform.call(`${service}/RevokeScimToken`, { identityProviderUid: uid });
  });
  printAnswer(options, done, `Revoked the SCIM token of ${name}.`);
}

async function setEnabled(name: string, options: ScimOptions, enabled: boolean): Promise<void> {
  const platform = await openPlatform();
  const done = await explainFailure({ verb: "call", platform }, async () => {
    const provider = await providerOf(platform, name, options);
    const etag = etagOf(provider);
    const request = { identityProviderUid: provider.uid, enabled, etag };
    return platform.call(`${service}/SetScimEnabled`, request);
  });
  printAnswer(options, done, `SCIM of ${name} is ${enabled ? "on" : "off"}.`);
}
