/** `platformctl create identity --role`: binds a role to the new identity, on its group. */
import { type Command, Option } from "commander";
import { toFailure, usageFailure } from "../../failure.ts";
import { type CatalogResource, requireMethod } from "../../resources/catalog.ts";
import { findUid, organizationOf, requireResourceNamed } from "../../resources/names.ts";
import type { PlatformClient } from "../../resources/platform.ts";

export type RoleOption = { role?: string };

/** Adds the option to the command that creates identities. */
export function addRoleOption(command: Command, resource: CatalogResource): Command {
  if (resource.name !== "identity") return command;
  const text = "Role to bind to the identity on its group, such as registry.pull.";
  return command.addOption(
    new Option("--role <name|uid>", text).conflicts(["dryRun", "validateOnly"]),
  );
}

/**
 * Finds the role, before anything is created. Returns a function that binds it to an identity of the group. Its Failure
 * names the command that binds the role later.
 */
export async function findFirstRole(
  platform: PlatformClient,
  { role }: RoleOption,
  group: string,
): Promise<((identityUid: string) => Promise<void>) | undefined> {
  if (role === undefined) return undefined;
  if (group === "") throw usageFailure("--role needs a group. Add --group GROUP.");
  const scope = { below: organizationOf(group), allowsOtherPlaces: true };
  const roleUid = await findUid(platform, requireResourceNamed("role"), role, scope);
  const { rpc } = requireMethod(requireResourceNamed("roleBinding"), "create");
  return async (identityUid) => {
    try {
      await platform.call(rpc, { parent: group, roleBinding: { identityUid, roleUid } });
    } catch (thrown) {
      const failure = toFailure(thrown);
      failure.message += `\nThe identity exists, without the role. To bind one: platformctl create role-binding --group ${group} --identity ${identityUid} --role ROLE`;
      throw failure;
    }
  };
}
