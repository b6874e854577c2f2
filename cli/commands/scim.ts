/** `platformctl scim`: the token by which an identity provider keeps people and groups in step. */
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

/** Fills `scim`. */
export function addScim(command: Command): void {
  const add = (name: string, text: string) =>
    command
      .command(name)
      .description(text)
      .argument("<identity-provider>", "its name or uid")
      .option("-g, --group <group>", "where to look for it (default: PLATFORM_GROUP)");
  const life = (sub: Command) =>
    sub
      .option("--expires-in <duration>", "how long the token works, such as 90d", duration)
      .option("--never-expires", "a token that works until it is revoked");
  addJsonOption(
    life(add("token", "make the token; it is shown once")),
    "platformctl scim token sso",
  ).action((name: string, options: TokenOptions) => token(name, options, "GenerateScimToken"));
  addJsonOption(
    life(add("rotate", "make another token in place of the one there is")).option(
      "--overlap <duration>",
      "how long the old one works on, such as 1h",
      duration,
    ),
    "platformctl scim rotate sso --overlap 1h",
  ).action((name: string, options: TokenOptions) => token(name, options, "RegenerateScimToken"));
  addJsonOption(add("revoke", "end the token"), "platformctl scim revoke sso").action(revoke);
  addJsonOption(add("enable", "let the token work"), "platformctl scim enable sso").action(
    (name: string, options: ScimOptions) => setEnabled(name, options, true),
  );
  addJsonOption(add("disable", "let the token rest"), "platformctl scim disable sso").action(
    (name: string, options: ScimOptions) => setEnabled(name, options, false),
  );
}

function duration(text: string): number {
  const length = parseDuration(text);
  if (length !== undefined) return length;
  throw new InvalidArgumentError("It must be as long as 30d, 12h or 90s.");
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

/** What a change has to name, so that two at a time do not undo each other. */
function etagOf(provider: JsonObject): string {
  const etag = (provider.scim as JsonObject | undefined)?.etag;
  if (typeof etag === "string") return etag;
  throw refusedFailure(
    "NOT_FOUND",
    `${provider.name} has no SCIM token. To make one: platformctl scim token ${provider.uid}`,
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
