// Starts GraphiQL. Its configuration is in data- attributes of #graphiql, so the page needs no inline script.
"use strict";

(() => {
  const root = document.getElementById("graphiql");
  const credential = document.getElementById("credential");
  const status = document.getElementById("status");
  const reveal = document.getElementById("reveal");
  const examples = JSON.parse(root.dataset.examples);

  // Stored for this browser tab only: a reload keeps the session, closing the tab ends it.
  const STORAGE_KEY = "gateway:credential";

  const bearer = () => credential.value.trim().replace(/^Bearer\s+/i, "");

  function show() {
    const token = bearer();
    sessionStorage.setItem(STORAGE_KEY, token);
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

  // The session of `cadastrar` or `entrar`, anywhere in the response, is used by the other tabs.
  function session(value) {
    if (value === null || typeof value !== "object") return null;
    if (typeof value.accessToken === "string") return value.accessToken;
    return Object.values(value).map(session).find(Boolean) ?? null;
  }

  // Other tabs use the charge that a tab has issued: its txid replaces the example's, or an earlier one.
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

  // GraphiQL knows a tab's operation name only some time after the tab opens; before, it sends the name of the previous
  // tab. So a name that the document doesn't define is omitted. A comment may contain that name.
  function named(operation) {
    const { operationName: name, ...rest } = operation;
    const defines = new RegExp(`^[^#]*\\b(?:query|mutation|subscription)\\s+${name}\\b`, "m");
    return !name || defines.test(operation.query) ? operation : rest;
  }

  const send = GraphiQL.createFetcher({ url: root.dataset.endpoint, enableIncrementalDelivery: false });

  async function fetcher(operation, options = {}) {
    const token = bearer();
    const common = token ? { Authorization: `Bearer ${token}` } : {};
    // Headers of the tab's own editor take precedence. An empty one there doesn't remove the credential.
    const own = Object.fromEntries(Object.entries(options.headers ?? {}).filter(([, value]) => value !== ""));
    const hasAuthorization = Object.keys(own).some((name) => name.toLowerCase() === "authorization");
    const sent = { ...named(operation), variables: withTxid(operation.variables) };
    const response = await send(sent, { ...options, headers: hasAuthorization ? own : { ...common, ...own } });
    const started = session(response?.data);
    if (started) adopt(started);
    if (response?.data?.issueCharge?.txid) remember(response.data.issueCharge.txid);
    return response;
  }

  // GraphiQL's dialogs append a <style> against scrolling, which the Content-Security-Policy refuses with a console error.
  // This page never scrolls, so the element is omitted.
  const insert = document.head.appendChild.bind(document.head);
  document.head.appendChild = (node) => (node instanceof HTMLStyleElement ? node : insert(node));

  credential.value = sessionStorage.getItem(STORAGE_KEY) ?? "";
  credential.addEventListener("input", show);
  reveal.addEventListener("click", () => {
    const hidden = credential.type === "password";
    credential.type = hidden ? "text" : "password";
    reveal.textContent = hidden ? "Ocultar" : "Mostrar";
    reveal.setAttribute("aria-pressed", String(hidden));
  });
  document.getElementById("restore").addEventListener("click", () => location.reload());
  show();

  // GraphiQL would store queries, variables and its history in localStorage, with passwords in them. Here they stay in
  // memory; only the layout is stored.
  const LAYOUT_KEYS = ["graphiql:theme", "graphiql:docExplorerFlex", "graphiql:editorFlex", "graphiql:secondaryEditorFlex"];
  const isStored = (key) => LAYOUT_KEYS.includes(key);
  Object.keys(localStorage).filter((key) => key.startsWith("graphiql:") && !isStored(key)).forEach((key) => localStorage.removeItem(key));
  const memory = new Map();
  const storage = {
    getItem: (key) => (isStored(key) ? localStorage.getItem(key) : memory.get(key) ?? null),
    setItem: (key, value) => (isStored(key) ? localStorage.setItem(key, value) : memory.set(key, value)),
    removeItem: (key) => (isStored(key) ? localStorage.removeItem(key) : memory.delete(key)),
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
      // The editor has the tab's variables only after this event.
      onTabChange: () => setTimeout(showTxid),
      storage,
      shouldPersistHeaders: false,
      showPersistHeadersSettings: false,
    }),
  );
})();
