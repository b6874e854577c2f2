import { AccountAssociationsService } from "../../schema/gen/platform/iam/v2/account_associations_pb.js";
import { ExternalGroupRoleMappingsService } from "../../schema/gen/platform/iam/v2/external_group_role_mappings_pb.js";
import { GroupInvitesService } from "../../schema/gen/platform/iam/v2/group_invites_pb.js";
import { IdentityProvidersService } from "../../schema/gen/platform/iam/v2/identity_providers_pb.js";
import { TermsService } from "../../schema/gen/platform/iam/v2/terms_pb.js";
import { serve } from "../rpc/serve.ts";
import { serviceNotServed } from "../rpc/service.ts";
import { groupsService } from "./groups.ts";
import { identitiesService } from "./identities.ts";
import { roleBindingsService } from "./role_bindings.ts";
import { rolesService } from "./roles.ts";

const notYet = "this resource is not served yet";

export const services = [
  groupsService,
  identitiesService,
  rolesService,
  roleBindingsService,
  serviceNotServed(IdentityProvidersService, notYet),
  serviceNotServed(AccountAssociationsService, notYet),
  serviceNotServed(GroupInvitesService, notYet),
  serviceNotServed(ExternalGroupRoleMappingsService, notYet),
  serviceNotServed(TermsService, notYet),
];

export default serve(services);
