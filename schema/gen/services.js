// Written by schema/generate.mjs. Do not edit.

import { file_platform_advisory_v2_security_advisory, SecurityAdvisoryService } from "./platform/advisory/v2/security_advisory_pb.js";
import { file_platform_annotations_v1_annotations } from "./platform/annotations/v1/annotations_pb.js";
import { file_platform_capabilities_v1_capability } from "./platform/capabilities/v1/capability_pb.js";
import { file_platform_events_v2_subscriptions, SubscriptionsService } from "./platform/events/v2/subscriptions_pb.js";
import { file_platform_iam_v2_account_associations, AccountAssociationsService } from "./platform/iam/v2/account_associations_pb.js";
import { file_platform_iam_v2_external_group_role_mappings, ExternalGroupRoleMappingsService } from "./platform/iam/v2/external_group_role_mappings_pb.js";
import { file_platform_iam_v2_group_invites, GroupInvitesService } from "./platform/iam/v2/group_invites_pb.js";
import { file_platform_iam_v2_groups, GroupsService } from "./platform/iam/v2/groups_pb.js";
import { file_platform_iam_v2_identities, IdentitiesService } from "./platform/iam/v2/identities_pb.js";
import { file_platform_iam_v2_identity_providers, IdentityProvidersService } from "./platform/iam/v2/identity_providers_pb.js";
import { file_platform_iam_v2_logins } from "./platform/iam/v2/logins_pb.js";
import { file_platform_iam_v2_role_bindings, RoleBindingsService } from "./platform/iam/v2/role_bindings_pb.js";
import { file_platform_iam_v2_roles, RolesService } from "./platform/iam/v2/roles_pb.js";
import { file_platform_iam_v2_terms, TermsService } from "./platform/iam/v2/terms_pb.js";
import { file_platform_libraries_v2_artifacts, ArtifactsService } from "./platform/libraries/v2/artifacts_pb.js";
import { file_platform_oidc_security_token, SecurityTokenService } from "./platform/oidc/security_token_pb.js";
import { file_platform_ping_v2_ping, PingService } from "./platform/ping/v2/ping_pb.js";
import { file_platform_registry_v2_images, ImagesService } from "./platform/registry/v2/images_pb.js";
import { file_platform_registry_v2_manifests, ManifestsService } from "./platform/registry/v2/manifests_pb.js";
import { file_platform_registry_v2_repos, ReposService } from "./platform/registry/v2/repos_pb.js";
import { file_platform_registry_v2_tag_moves, TagMovesService } from "./platform/registry/v2/tag_moves_pb.js";
import { file_platform_registry_v2_tags, TagsService } from "./platform/registry/v2/tags_pb.js";
import { file_platform_uidp_v1_uidp_filter } from "./platform/uidp/v1/uidp_filter_pb.js";
import { file_platform_vulnerabilities_v2_advisories, AdvisoriesService } from "./platform/vulnerabilities/v2/advisories_pb.js";
import { file_platform_vulnerabilities_v2_advisory_exports, AdvisoryExportsService } from "./platform/vulnerabilities/v2/advisory_exports_pb.js";
import { file_platform_vulnerabilities_v2_csaf_documents, CsafDocumentsService } from "./platform/vulnerabilities/v2/csaf_documents_pb.js";
import { file_platform_vulnerabilities_v2_openvex_documents, OpenVexDocumentsService } from "./platform/vulnerabilities/v2/openvex_documents_pb.js";
import { file_platform_vulnerabilities_v2_osv_records, OsvRecordsService } from "./platform/vulnerabilities/v2/osv_records_pb.js";

/** Every service, by the path of its file. */
export const services = [
  SecurityAdvisoryService,
  SubscriptionsService,
  AccountAssociationsService,
  ExternalGroupRoleMappingsService,
  GroupInvitesService,
  GroupsService,
  IdentitiesService,
  IdentityProvidersService,
  RoleBindingsService,
  RolesService,
  TermsService,
  ArtifactsService,
  SecurityTokenService,
  PingService,
  ImagesService,
  ManifestsService,
  ReposService,
  TagMovesService,
  TagsService,
  AdvisoriesService,
  AdvisoryExportsService,
  CsafDocumentsService,
  OpenVexDocumentsService,
  OsvRecordsService,
];

/** Every file of schema/proto, by path. */
export const files = [
  file_platform_advisory_v2_security_advisory,
  file_platform_annotations_v1_annotations,
  file_platform_capabilities_v1_capability,
  file_platform_events_v2_subscriptions,
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
  file_platform_libraries_v2_artifacts,
  file_platform_oidc_security_token,
  file_platform_ping_v2_ping,
  file_platform_registry_v2_images,
  file_platform_registry_v2_manifests,
  file_platform_registry_v2_repos,
  file_platform_registry_v2_tag_moves,
  file_platform_registry_v2_tags,
  file_platform_uidp_v1_uidp_filter,
  file_platform_vulnerabilities_v2_advisories,
  file_platform_vulnerabilities_v2_advisory_exports,
  file_platform_vulnerabilities_v2_csaf_documents,
  file_platform_vulnerabilities_v2_openvex_documents,
  file_platform_vulnerabilities_v2_osv_records,
];
