/** One role: its capabilities, who has it, and its editor. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Role } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { parentOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { Uid } from "../elements/copy.tsx";
import { Facts, Page, Views } from "../elements/page.tsx";
import { Answer } from "../elements/states.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/routes.ts";
import { DeleteRoleDialog } from "./delete_role.tsx";
import { EditRole } from "./edit_role.tsx";
import { RoleCapabilities } from "./role_capabilities.tsx";
import { RoleHolders } from "./role_holders.tsx";
import { Home } from "./roles.tsx";

export default function RolePage({ rest: uid }: PageProps) {
  const client = useClient();
  const query = useQuery({ queryKey: ["roles", uid], queryFn: () => client.roles.get(uid) });
  return (
    <Answer query={query} lines={8} page="Role">
      {(role) => <Shown role={role} />}
    </Answer>
  );
}

function Shown({ role }: { role: Role }) {
  const { uid, name, description, capabilities = [] } = role;
  const { get } = useParameters();
  const view = get("view");
  const group = get("group");
  const address = (one: string) => {
    const [path = "", query = ""] = addresses.role(uid, group).split("?");
    const all = [query, one === "" ? "" : `view=${one}`].filter(Boolean).join("&");
    return all === "" ? path : `${path}?${all}`;
  };
  const title = view === "edit" ? `Edit ${name}` : name;
  return (
    <Page
      title={title}
      path={[["Roles", addresses.roles(group)]]}
      lead={description && <bdi>{description}</bdi>}
      actions={view !== "edit" && <Actions role={role} editor={address("edit")} />}
    >
      {view === "edit" ? (
        <EditRole role={role} done={address("")} />
      ) : (
        <>
          <Views
            label={`Views of ${name}`}
            current={address(view)}
            views={[
              [address(""), `${capabilities.length} capabilities`],
              [address("who"), "Who has it"],
              [address("about"), "About"],
            ]}
          />
          {view === "who" && <RoleHolders role={role} />}
          {view === "about" && <RoleFacts role={role} />}
          {view !== "who" && view !== "about" && <RoleCapabilities role={role} />}
        </>
      )}
    </Page>
  );
}

function RoleFacts({ role: { uid, createTime, updateTime } }: { role: Role }) {
  const isBuiltIn = parentOf(uid) === "";
  return (
    <Facts
      facts={[
        ["Group", <Home key="home" group={parentOf(uid)} />],
        ["Uid", <Uid key="uid" uid={uid} />],
        ["Created", !isBuiltIn && <Time key="created" time={createTime} />],
        ["Changed", !isBuiltIn && <Time key="changed" time={updateTime} />],
      ]}
    />
  );
}

function Actions({ role, editor }: { role: Role; editor: string }) {
  const { uid, name } = role;
  const home = parentOf(uid);
  const { uid: current } = useCurrentGroup();
  const [, navigate] = useLocation();
  const [isDeleting, setDeleting] = useState(false);
  const { may } = useMay(home || current);
  const needs = (isAllowed: boolean | undefined, verb: string) =>
    isAllowed === false ? `You need the roles.${verb} capability on the group.` : undefined;
  const fixed = home === "" ? "No one can change a built-in role. Copy it instead." : undefined;
  return (
    <>
      <Button
        onClick={() => navigate(addresses.newRole(home || current, { copy: uid }))}
        refusal={needs(may("CAP_IAM_ROLES_CREATE"), "create")}
      >
        Copy
      </Button>
      <Button
        onClick={() => navigate(editor)}
        refusal={fixed ?? needs(may("CAP_IAM_ROLES_UPDATE"), "update")}
      >
        Edit
      </Button>
      {home !== "" && (
        <Button
          kind="danger"
          onClick={() => setDeleting(true)}
          refusal={needs(may("CAP_IAM_ROLES_DELETE"), "delete")}
        >
          Delete
        </Button>
      )}
      {isDeleting && <DeleteRoleDialog uid={uid} name={name} onClose={() => setDeleting(false)} />}
    </>
  );
}
