// Starts GraphiQL. Its configuration travels in the data- attributes of #graphiql, so the page needs no inline script.
"use strict";

(() => {
  const root = document.getElementById("graphiql");
  const credential = document.getElementById("credential");
  const status = document.getElementById("status");
  const reveal = document.getElementById("reveal");
  const examples = JSON.parse(root.dataset.examples);

  // Kept for this tab of the browser only: a reload keeps the session, closing the tab forgets it.
  const KEPT = "gateway:credential";

  const bearer = () => credential.value.trim().replace(/^Bearer\s+/i, "");

  function show() {
    const token = bearer();
    sessionStorage.setItem(KEPT, token);
    if (!token) status.textContent = "Sem credencial";
    else if (token.startsWith("eyJ")) status.textContent = "Sessão do painel";
    else status.textContent = token.includes("_live_") ? "Chave live" : "Chave de API";
    status.dataset.kind = token ? "set" : "none";
  }

  function adopt(token) {
    credential.value = token;
    show();
    status.textContent = "Sessão iniciada";
  }

  // The session of `cadastrar` or `entrar`, wherever the answer carries it, serves the other tabs.
  function session(value) {
    if (value === null || typeof value !== "object") return null;
    if (typeof value.accessToken === "string") return value.accessToken;
    return Object.values(value).map(session).find(Boolean) ?? null;
  }

  // The charge that a tab has issued is the one that another tab pays: its txid takes the place of the example's, or of
  // the txid that was put there before.
  const PLACEHOLDER = "cole-aqui-o-txid";
  let issued = null;
  let replaced = [PLACEHOLDER];

  function remember(txid) {
    if (issued) replaced = [PLACEHOLDER, issued];
    issued = txid;
  }

  function withTxid(variables) {
    if (!issued || !replaced.includes(variables?.txid)) return variables;
    return { ...variables, txid: issued };
  }

  function showTxid() {
    const editor = document.querySelector('section[aria-label="Variables"] .CodeMirror')?.CodeMirror;
    const stale = editor && issued && replaced.find((txid) => editor.getValue().includes(`"${txid}"`));
    if (stale) editor.setValue(editor.getValue().replace(`"${stale}"`, `"${issued}"`));
  }

  // GraphiQL learns a tab's operation name a moment after the tab opens; whoever runs it sooner would send the name of the
  // tab before. A name that the document doesn't define is left out: each example holds one operation. A comment may well
  // name another tab's operation, so the word alone doesn't tell.
  function named(operation) {
    const { operationName: name, ...rest } = operation;
    const defines = new RegExp(`^[^#]*\\b(?:query|mutation|subscription)\\s+${name}\\b`, "m");
    return !name || defines.test(operation.query) ? operation : rest;
  }

  const send = GraphiQL.createFetcher({ url: root.dataset.endpoint, enableIncrementalDelivery: false });

  async function fetcher(operation, options = {}) {
    const token = bearer();
    const common = token ? { Authorization: `Bearer ${token}` } : {};
    // The tab's own Headers editor wins, and an empty one there doesn't erase the credential of the bar.
    const own = Object.fromEntries(Object.entries(options.headers ?? {}).filter(([, value]) => value !== ""));
    const given = Object.keys(own).some((name) => name.toLowerCase() === "authorization");
    const sent = { ...named(operation), variables: withTxid(operation.variables) };
    const answer = await send(sent, { ...options, headers: given ? own : { ...common, ...own } });
    const started = session(answer?.data);
    if (started) adopt(started);
    if (answer?.data?.issueCharge?.txid) remember(answer.data.issueCharge.txid);
    return answer;
  }

  // The dialogs of GraphiQL append a <style> that locks the scrolling of the page; the policy refuses it and says so in the
  // console. This page never scrolls, so leaving the element out loses nothing.
  const insert = document.head.appendChild.bind(document.head);
  document.head.appendChild = (node) => (node instanceof HTMLStyleElement ? node : insert(node));

  credential.value = sessionStorage.getItem(KEPT) ?? "";
  credential.addEventListener("input", show);
  reveal.addEventListener("click", () => {
    const shown = credential.type === "password";
    credential.type = shown ? "text" : "password";
    reveal.textContent = shown ? "Ocultar" : "Mostrar";
    reveal.setAttribute("aria-pressed", String(shown));
  });
  document.getElementById("restore").addEventListener("click", () => location.reload());
  show();

  // GraphiQL would write queries, variables and its history to localStorage, and passwords may be in any of them. They
  // live in this page alone; only how the page looks is kept.
  const LOOKS = ["graphiql:theme", "graphiql:docExplorerFlex", "graphiql:editorFlex", "graphiql:secondaryEditorFlex"];
  const kept = (key) => LOOKS.includes(key);
  Object.keys(localStorage).filter((key) => key.startsWith("graphiql:") && !kept(key)).forEach((key) => localStorage.removeItem(key));
  const memory = new Map();
  const storage = {
    getItem: (key) => (kept(key) ? localStorage.getItem(key) : memory.get(key) ?? null),
    setItem: (key, value) => (kept(key) ? localStorage.setItem(key, value) : memory.set(key, value)),
    removeItem: (key) => (kept(key) ? localStorage.removeItem(key) : memory.delete(key)),
    clear: () => memory.clear(),
    get length() {
      return memory.size;
    },
  };

  ReactDOM.createRoot(root).render(
    React.createElement(GraphiQL, {
      fetcher,
      defaultQuery: "",
      // GraphiQL takes the variables of the tab that opens from this property, not from the tab.
      variables: examples[0].variables,
      defaultTabs: examples.map(({ query, variables }) => ({ query, variables })),
      defaultEditorToolsVisibility: "variables",
      // The editor holds the tab's variables a moment after the tab opens.
      onTabChange: () => setTimeout(showTxid),
      storage,
      shouldPersistHeaders: false,
      showPersistHeadersSettings: false,
    }),
  );
})();
