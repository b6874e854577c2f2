/** One role: its capabilities, who has it, and its editor. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Role } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { parentOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { Uid } from "../elements/copy.tsx";
import { Facts, Page, Views } from "../elements/page.tsx";
import { PageAnswer } from "../elements/page_answer.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { DeleteRoleDialog } from "./delete_role.tsx";
import { EditRole } from "./edit_role.tsx";
import { RoleCapabilities } from "./role_capabilities.tsx";
import { RoleHolders } from "./role_holders.tsx";
import { Home } from "./roles.tsx";

export default function RolePage({ rest: uid }: PageProps) {
  const client = useClient();
  const query = useQuery({ queryKey: ["roles", uid], queryFn: () => client.roles.get(uid) });
  const { get } = useParameters();
  return (
    <PageAnswer query={query} title="Role" path={[["Roles", addresses.roles(get("group"))]]}>
      {(role) => <Shown role={role} />}
    </PageAnswer>
  );
}

function Shown({ role }: { role: Role }) {
  const { uid, name, description, capabilities = [] } = role;
  const { get } = useParameters();
  const view = get("view");
  const group = get("group");
  const address = (key: string) => {
    const [path = "", query = ""] = addresses.role(uid, group).split("?");
    const all = [query, key === "" ? "" : `view=${key}`].filter(Boolean).join("&");
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
  const permissions = useMay(home || current);
  const target = home ? "its group" : "this group";
  const fixed = home === "" ? "No one can change a built-in role. Copy it instead." : undefined;
  return (
    <>
      <Button
        onClick={() => navigate(addresses.newRole(home || current, { copy: uid }))}
        refusal={refusalOf(permissions, target, "CAP_IAM_ROLES_CREATE")}
      >
        Copy
      </Button>
      <Button
        onClick={() => navigate(editor)}
        refusal={fixed ?? refusalOf(permissions, target, "CAP_IAM_ROLES_UPDATE")}
      >
        Edit
      </Button>
      {home !== "" && (
        <Button
          kind="danger"
          onClick={() => setDeleting(true)}
          refusal={refusalOf(permissions, target, "CAP_IAM_ROLES_DELETE")}
        >
          Delete
        </Button>
      )}
      {isDeleting && <DeleteRoleDialog uid={uid} name={name} onClose={() => setDeleting(false)} />}
    </>
  );
}
