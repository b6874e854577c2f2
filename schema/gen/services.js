// Written by schema/generate.mjs. Do not edit.

import { file_platform_advisory_security_advisory } from "./platform/advisory/security_advisory_pb.js";
import { file_platform_advisory_v2_security_advisory } from "./platform/advisory/v2/security_advisory_pb.js";
import { file_platform_annotations_v1_annotations } from "./platform/annotations/v1/annotations_pb.js";
import { file_platform_auth_auth } from "./platform/auth/auth_pb.js";
import { file_platform_capabilities_v1_capability } from "./platform/capabilities/v1/capability_pb.js";
import { file_platform_events_identities } from "./platform/events/identities_pb.js";
import { file_platform_events_subscriptions } from "./platform/events/subscriptions_pb.js";
import { file_platform_events_v2_subscriptions } from "./platform/events/v2/subscriptions_pb.js";
import { file_platform_iam_account_associations } from "./platform/iam/account_associations_pb.js";
import { file_platform_iam_external_group_role_mappings } from "./platform/iam/external_group_role_mappings_pb.js";
import { file_platform_iam_group_invites } from "./platform/iam/group_invites_pb.js";
import { file_platform_iam_groups } from "./platform/iam/groups_pb.js";
import { file_platform_iam_identities } from "./platform/iam/identities_pb.js";
import { file_platform_iam_identity_providers } from "./platform/iam/identity_providers_pb.js";
import { file_platform_iam_role_bindings } from "./platform/iam/role_bindings_pb.js";
import { file_platform_iam_roles } from "./platform/iam/roles_pb.js";
import { file_platform_iam_terms } from "./platform/iam/terms_pb.js";
import { file_platform_iam_v2_account_associations } from "./platform/iam/v2/account_associations_pb.js";
import { file_platform_iam_v2_external_group_role_mappings } from "./platform/iam/v2/external_group_role_mappings_pb.js";
import { file_platform_iam_v2_group_invites } from "./platform/iam/v2/group_invites_pb.js";
import { file_platform_iam_v2_groups } from "./platform/iam/v2/groups_pb.js";
import { file_platform_iam_v2_identities } from "./platform/iam/v2/identities_pb.js";
import { file_platform_iam_v2_identity_providers } from "./platform/iam/v2/identity_providers_pb.js";
import { file_platform_iam_v2_logins } from "./platform/iam/v2/logins_pb.js";
import { file_platform_iam_v2_role_bindings } from "./platform/iam/v2/role_bindings_pb.js";
import { file_platform_iam_v2_roles } from "./platform/iam/v2/roles_pb.js";
import { file_platform_iam_v2_terms } from "./platform/iam/v2/terms_pb.js";
import { file_platform_libraries_artifacts } from "./platform/libraries/artifacts_pb.js";
import { file_platform_libraries_left_out } from "./platform/libraries/left_out_pb.js";
import { file_platform_libraries_v2_artifacts } from "./platform/libraries/v2/artifacts_pb.js";
import { file_platform_oidc_security_token } from "./platform/oidc/security_token_pb.js";
import { file_platform_ping_ping } from "./platform/ping/ping_pb.js";
import { file_platform_ping_v2_ping } from "./platform/ping/v2/ping_pb.js";
import { file_platform_registry_eol_tags } from "./platform/registry/eol_tags_pb.js";
import { file_platform_registry_images } from "./platform/registry/images_pb.js";
import { file_platform_registry_left_out } from "./platform/registry/left_out_pb.js";
import { file_platform_registry_manifests } from "./platform/registry/manifests_pb.js";
import { file_platform_registry_registry } from "./platform/registry/registry_pb.js";
import { file_platform_registry_repos } from "./platform/registry/repos_pb.js";
import { file_platform_registry_sboms } from "./platform/registry/sboms_pb.js";
import { file_platform_registry_tags } from "./platform/registry/tags_pb.js";
import { file_platform_registry_v2_images } from "./platform/registry/v2/images_pb.js";
import { file_platform_registry_v2_manifests } from "./platform/registry/v2/manifests_pb.js";
import { file_platform_registry_v2_repos } from "./platform/registry/v2/repos_pb.js";
import { file_platform_registry_v2_sboms } from "./platform/registry/v2/sboms_pb.js";
import { file_platform_registry_v2_tag_moves } from "./platform/registry/v2/tag_moves_pb.js";
import { file_platform_registry_v2_tags } from "./platform/registry/v2/tags_pb.js";
import { file_platform_registry_v2_vuln_reports } from "./platform/registry/v2/vuln_reports_pb.js";
import { file_platform_registry_vulnerabilities } from "./platform/registry/vulnerabilities_pb.js";
import { file_platform_tenant_sboms } from "./platform/tenant/sboms_pb.js";
import { file_platform_tenant_vuln_reports } from "./platform/tenant/vuln_reports_pb.js";
import { file_platform_uidp_v1_uidp_filter } from "./platform/uidp/v1/uidp_filter_pb.js";
import { file_platform_vulnerabilities_v1_advisories } from "./platform/vulnerabilities/v1/advisories_pb.js";
import { file_platform_vulnerabilities_v2_advisories } from "./platform/vulnerabilities/v2/advisories_pb.js";
import { file_platform_vulnerabilities_v2_advisory_exports } from "./platform/vulnerabilities/v2/advisory_exports_pb.js";
import { file_platform_vulnerabilities_v2_csaf_documents } from "./platform/vulnerabilities/v2/csaf_documents_pb.js";
import { file_platform_vulnerabilities_v2_openvex_documents } from "./platform/vulnerabilities/v2/openvex_documents_pb.js";
import { file_platform_vulnerabilities_v2_osv_records } from "./platform/vulnerabilities/v2/osv_records_pb.js";

/** Every file of schema/proto, by path. */
export const files = [
  file_platform_advisory_security_advisory,
  file_platform_advisory_v2_security_advisory,
  file_platform_annotations_v1_annotations,
  file_platform_auth_auth,
  file_platform_capabilities_v1_capability,
  file_platform_events_identities,
  file_platform_events_subscriptions,
  file_platform_events_v2_subscriptions,
  file_platform_iam_account_associations,
  file_platform_iam_external_group_role_mappings,
  file_platform_iam_group_invites,
  file_platform_iam_groups,
  file_platform_iam_identities,
  file_platform_iam_identity_providers,
  file_platform_iam_role_bindings,
  file_platform_iam_roles,
  file_platform_iam_terms,
  file_platform_iam_v2_account_associations,
  file_platform_iam_v2_external_group_role_mappings,
  file_platform_iam_v2_group_invites,
  file_platform_iam_v2_groups,
  file_platform_iam_v2_identities,
  file_platform_iam_v2_identity_providers,
  file_platform_iam_v2_logins,
  file_platform_iam_v2_role_bindings,
  file_platform_iam_v2_roles,
  file_platform_iam_v2_terms,
  file_platform_libraries_artifacts,
  file_platform_libraries_left_out,
  file_platform_libraries_v2_artifacts,
  file_platform_oidc_security_token,
  file_platform_ping_ping,
  file_platform_ping_v2_ping,
  file_platform_registry_eol_tags,
  file_platform_registry_images,
  file_platform_registry_left_out,
  file_platform_registry_manifests,
  file_platform_registry_registry,
  file_platform_registry_repos,
  file_platform_registry_sboms,
  file_platform_registry_tags,
  file_platform_registry_v2_images,
  file_platform_registry_v2_manifests,
  file_platform_registry_v2_repos,
  file_platform_registry_v2_sboms,
  file_platform_registry_v2_tag_moves,
  file_platform_registry_v2_tags,
  file_platform_registry_v2_vuln_reports,
  file_platform_registry_vulnerabilities,
  file_platform_tenant_sboms,
  file_platform_tenant_vuln_reports,
  file_platform_uidp_v1_uidp_filter,
  file_platform_vulnerabilities_v1_advisories,
  file_platform_vulnerabilities_v2_advisories,
  file_platform_vulnerabilities_v2_advisory_exports,
  file_platform_vulnerabilities_v2_csaf_documents,
  file_platform_vulnerabilities_v2_openvex_documents,
  file_platform_vulnerabilities_v2_osv_records,
];

/** Every service, by the path of its file. */
export const services = files.flatMap((file) => file.services);
