/** `platformctl accept`: accepts an invite, or documents of the operator's terms. */
import type { Command } from "commander";
import { withoutControls } from "../resources/cells.ts";
import type { JsonObject } from "../resources/flags.ts";

import { openPlatform } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { requireGroup } from "../resources/where.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

/** Adds the subcommands of `accept`. */
export function addAccepts(command: Command): void {
  addJsonOption(
    command
      .command("invite")
      .description("Join a group with the code of an invite.")
      .argument("<code>", "The code of the invite."),
    "platformctl accept invite CODE",
  ).action(acceptInvite);
  addJsonOption(
    command
      .command("terms")
      .description("Accept terms on behalf of an organization.")
      .argument("<document...>", "Ids of the documents with the terms.")
      .option("-g, --group <group>", "Name or uid of the organization (default: PLATFORM_GROUP)."),
    "platformctl accept terms sfdpa.v1 --group acme.example",
  ).action(acceptTerms);
}

async function acceptInvite(code: string, options: JsonOption): Promise<void> {
  const platform = await openPlatform();
  const binding = await explainFailure({ verb: "call", platform }, () =>
    platform.call("platform.iam.v2.GroupInvitesService/AcceptGroupInvite", { code }),
  );
  const { role, group } = binding as { role?: JsonObject; group?: JsonObject };
  printAnswer(
    options,
    binding,
    withoutControls(`You are ${role?.name} of ${group?.name} (${group?.uid}).`),
  );
}

async function acceptTerms(
  documentIds: string[],
  options: JsonOption & { group?: string },
): Promise<void> {
  const platform = await openPlatform();
  const group = await requireGroup(platform, options.group);
  const accepted = await explainFailure({ verb: "call", platform }, () =>
    platform.call("platform.iam.v2.TermsService/AcceptTerms", { group, documentIds }),
  );
  printAnswer(options, accepted, `Accepted ${documentIds.join(", ")} for ${group}.`);
}
