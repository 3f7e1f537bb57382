// What the page adds where there is JavaScript: filter, copying, languages, "Testar aqui".
"use strict";

(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const STORAGE_KEY = "gateway:credential"; // The same as GraphiQL's: one credential for this tab of the browser.

  all("[data-script]").forEach((node) => { node.hidden = false; });

  // Filter
  const filter = document.getElementById("filter");
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  filter.addEventListener("input", () => {
    const words = plain(filter.value).split(/\s+/).filter(Boolean);
    let shown = 0;
    all(".index section").forEach((section) => {
      const links = all("[data-find]", section);
      const found = links.filter((link) => words.every((word) => plain(link.dataset.find).includes(word)));
      links.forEach((link) => { link.parentElement.hidden = !found.includes(link); });
      section.hidden = found.length === 0;
      shown += found.length;
    });
    document.querySelector(".nothing").hidden = shown > 0;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, textarea")) return;
    event.preventDefault();
    filter.focus();
  });

  // Where the reader is
  const links = new Map(all(".index [data-find]").map((link) => [link.getAttribute("href").slice(1), link]));
  const index = document.querySelector(".index");
  // Not scrollIntoView: it would also move the page, away from what the reader just opened.
  function follow(link) {
    const [frame, box] = [index.getBoundingClientRect(), link.getBoundingClientRect()];
    if (box.top < frame.top) index.scrollTop -= frame.top - box.top + 40;
    else if (box.bottom > frame.bottom) index.scrollTop += box.bottom - frame.bottom + 40;
  }
  const seen = new IntersectionObserver((entries) => {
    const entry = entries.find((each) => each.isIntersecting);
    if (!entry) return;
    links.forEach((link, id) => { if (id === entry.target.id) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current"); });
    follow(links.get(entry.target.id));
  }, { rootMargin: "-15% 0px -75% 0px" });
  all("article[id]").forEach((article) => seen.observe(article));

  // Languages: one choice for the whole page, remembered
  const LANGUAGE = "gateway:language";
  function speak(language) {
    all("[data-languages]").forEach((block) => {
      all("[data-language]", block).forEach((node) => {
        const chosen = node.dataset.language === language;
        if (node.tagName === "PRE") node.hidden = !chosen;
        else node.setAttribute("aria-pressed", String(chosen));
      });
    });
  }
  all("button[data-language]").forEach((button) => button.addEventListener("click", () => {
    localStorage.setItem(LANGUAGE, button.dataset.language);
    speak(button.dataset.language);
  }));
  if (document.querySelector(`button[data-language="${CSS.escape(localStorage.getItem(LANGUAGE) ?? "")}"]`)) speak(localStorage.getItem(LANGUAGE));

  // Copying, which browsers allow over https and on localhost only
  all(".block .head").forEach((head) => {
    if (head.closest(".try") || !navigator.clipboard) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copiar";
    button.addEventListener("click", async (event) => {
      event.preventDefault();
      const code = all("pre", head.parentElement).find((pre) => !pre.hidden);
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copiado";
      setTimeout(() => { button.textContent = "Copiar"; }, 1500);
    });
    head.after(button); // Not inside: a summary is a button itself.
  });

  // The credential
  const credential = document.getElementById("credential");
  const status = document.getElementById("status");
  const bearer = () => credential.value.trim().replace(/^Bearer\s+/i, "");
  function keep() {
    const token = bearer();
    sessionStorage.setItem(STORAGE_KEY, token);
    if (!token) status.textContent = "Sem credencial";
    else if (token.startsWith("eyJ")) status.textContent = "Sessão do painel";
    else status.textContent = token.includes("_live_") ? "Chave live: vale de verdade" : "Chave de API";
    status.dataset.kind = token ? "set" : "none";
  }
  credential.value = sessionStorage.getItem(STORAGE_KEY) ?? "";
  credential.addEventListener("input", keep);
  keep();

  // Testar aqui
  function request(form) {
    const query = new URLSearchParams();
    const headers = bearer() ? { Authorization: `Bearer ${bearer()}` } : {};
    let path = form.dataset.path;
    all("[data-place]", form).filter((input) => input.value !== "").forEach((input) => {
      if (input.dataset.place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
      else if (input.dataset.place === "query") query.append(input.name, input.value);
      else if (input.dataset.place === "header") headers[input.name] = input.value;
    });
    const body = form.elements.body?.value;
    if (body) headers["Content-Type"] = "application/json";
    return [query.size ? `${path}?${query}` : path, { method: form.dataset.method, headers, body: body || undefined }];
  }

  function pretty(text) {
    try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
  }

  function show(output, heading, kind, text) {
    const mark = document.createElement("b");
    mark.className = `status s${kind}`;
    mark.textContent = heading;
    const pre = document.createElement("pre");
    pre.textContent = text;
    output.replaceChildren(mark, pre);
  }

  all(".try form").forEach((form) => form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const output = form.querySelector("output");
    const send = form.querySelector("button");
    send.disabled = true;
    try {
      const started = performance.now();
      const answer = await fetch(...request(form));
      const text = await answer.text();
      show(output, `${answer.status} · ${Math.round(performance.now() - started)} ms`, String(answer.status)[0], pretty(text));
    } catch (error) {
      show(output, "Sem resposta", "5", String(error));
    } finally {
      send.disabled = false;
    }
  }));

  // A link to a hidden place opens it.
  function reveal() {
    let node = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    for (; node; node = node.parentElement) if (node instanceof HTMLDetailsElement) node.open = true;
  }
  addEventListener("hashchange", reveal);
  reveal();
})();
