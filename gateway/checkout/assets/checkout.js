// What makes the pages livelier. Everything works without it; every word it shows comes from the page.
"use strict";

(() => {
  const POLL = 5000; // Milliseconds between questions while no event stream gets through.
  const POLL_UNSEEN = 15000; // The same while nobody looks at the page.
  const SILENCE = 40000; // The server's heartbeat comes every 15 s: after this long the line is dead.
  const PATIENCE = 20000; // A request that takes longer has failed.
  const STAY = 10; // Seconds a paid page is shown before the payer goes back to the store.

  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const tell = (text) => { one("#announcer").textContent = text; };
  let ended = new AbortController(); // Aborted when the page drawn now is replaced.

  // ---- Asking the server, drawing what it answers

  const ask = (url, options = {}) => fetch(url, { ...options, signal: AbortSignal.timeout?.(PATIENCE) });

  function draw(html, url) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const page = one("#page", fresh);
    if (!page) return location.assign(url);
    ended.abort();
    document.title = fresh.title;
    one("#page").replaceWith(document.adoptNode(page));
    if (url && url !== location.href) history.pushState(null, "", url);
    start();
  }

  // Another page than before: from its top, and what it has to say is said.
  function arrive() {
    const { announcement, status } = one("main").dataset;
    scrollTo(0, 0);
    one("h1").focus();
    tell(announcement?.replace("{seconds}", STAY) ?? "");
    if (status === "paid") returning();
  }

  // Unless another answer has drawn the page meanwhile.
  async function refresh(signal) {
    const answer = await ask(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.status);
    const html = await answer.text();
    if (signal.aborted) return;
    draw(html, location.href);
    arrive();
  }

  // ---- Forms: sent without leaving the page, so that a lost connection loses nothing

  function sending(form) {
    form.noValidate = true;
    // Enter in the coupon's field tries the coupon, not the payment.
    one("#coupon_code", form)?.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      form.requestSubmit(one("[value=aplicar-cupom]", form));
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const button = event.submitter;
      if (form.dataset.sending || !ready(form, button)) return;
      const body = new URLSearchParams(new FormData(form));
      if (button?.name) body.set(button.name, button.value);
      if (form.dataset.form) remember(form);
      const rest = busy(form);
      const { signal } = ended;
      try {
        const answer = await ask(form.action, { method: "POST", body });
        const html = await answer.text();
        if (signal.aborted) return; // The event stream was quicker.
        // Only a link's form has a page at its own address.
        draw(html, answer.redirected || form.dataset.form ? answer.url : "");
        if (one("[data-form]")) settle(button);
        else arrive();
      } catch {
        rest();
        alarm(form, form.dataset.offline ?? "");
      }
    });
  }

  function busy(form) {
    const button = one("[data-pay]", form) ?? one("button", form);
    const label = button.textContent;
    form.dataset.sending = "1";
    button.setAttribute("aria-disabled", "true");
    if (form.dataset.busy) button.textContent = form.dataset.busy;
    return () => {
      delete form.dataset.sending;
      button.removeAttribute("aria-disabled");
      button.textContent = label;
    };
  }

  // After an answer that stays on the form: to the first mistake, or to where the payer was.
  function settle(button) {
    const wrong = one("[aria-invalid=true]");
    const coupon = one(".applied button") ?? one(".coupon[open] input") ?? one(".coupon summary");
    if (wrong) wrong.focus();
    else if (button?.value.endsWith("cupom")) coupon?.focus();
    else one("#alert").scrollIntoView({ block: "center" });
    const removed = button?.value === "remover-cupom" ? one("[data-form]").dataset.removed : "";
    tell(one("#alert:not([hidden])")?.textContent ?? one(".applied p")?.textContent ?? removed);
  }

  function alarm(form, text) {
    const alert = one("[role=alert]", form);
    alert.textContent = text;
    alert.hidden = !text;
  }

  // ---- What is typed: judged field by field, after the payer has left the field

  // A verdict that appears under a button being pressed would move it from under the finger.
  let pressing = false;
  document.addEventListener("pointerdown", (event) => { pressing = Boolean(event.target.closest("button")); });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => { pressing = false; });

  const bare = (text) => text.toUpperCase().replace(/[.\-/\s]/g, "");
  const digits = (text) => text.replace(/\D/g, "");

  // Modulo 11, a character worth its ASCII code less 48: CPF, CNPJ, and the CNPJ with letters.
  function checkDigit(text, highest) {
    let weight = 2;
    let sum = 0;
    for (const character of [...text].reverse()) {
      sum += (character.charCodeAt(0) - 48) * weight;
      weight = weight === highest ? 2 : weight + 1;
    }
    return String(sum % 11 < 2 ? 0 : 11 - (sum % 11));
  }

  function isDocument(text) {
    const value = bare(text);
    const cpf = /^\d{11}$/.test(value);
    if (!cpf && !/^[0-9A-Z]{12}\d{2}$/.test(value)) return false;
    if (/^(.)\1*$/.test(value)) return false;
    const [body, highest] = cpf ? [value.slice(0, 9), 11] : [value.slice(0, 12), 9];
    const first = checkDigit(body, highest);
    return value === body + first + checkDigit(body + first, highest);
  }

  const judges = {
    customer_cpf: isDocument,
    customer_email: (text) => /^[^@\s"(),:;<>[\]\\]+@([^@\s.]+\.)+[^@\s.]{2,}$/.test(text),
    // Prefixes and the code of a carrier are the server's to take off.
    customer_phone: (text) => /^(?!\+(?!55))/.test(text) && /^(0?0?55|0(\d\d)?)?\d{10,11}$/.test(digits(text)),
  };

  function mistake(input) {
    const text = input.value.trim();
    if (!text) return input.required ? input.dataset.need : "";
    return judges[input.name]?.(text) === false ? input.dataset.bad : "";
  }

  function judge(input) {
    const text = mistake(input);
    const place = document.getElementById(`${input.id}-error`);
    place.textContent = text;
    place.hidden = !text;
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    return !text;
  }

  function ready(form, button) {
    if (!form.dataset.form || button?.value === "remover-cupom") return true;
    if (button?.value === "aplicar-cupom") return couponTyped();
    const wrong = all("input[aria-describedby]", form).filter((input) => input.name !== "coupon_code" && !judge(input));
    alarm(form, wrong.length ? form.dataset.mend : "");
    wrong[0]?.focus();
    return !wrong.length;
  }

  function couponTyped() {
    const input = one("#coupon_code");
    input.required = true;
    const fine = judge(input);
    input.required = false;
    if (!fine) input.focus();
    return fine;
  }

  const masks = {
    document(text) {
      const value = bare(text).replace(/[^0-9A-Z]/g, "").slice(0, 14);
      const cpf = /^\d{0,11}$/.test(value);
      return cpf ? grouped(value, [3, 3, 3, 2], "..-") : grouped(value, [2, 3, 3, 4, 2], "../-");
    },
    // Brazil's country code is let in and taken off again, as the server does. What is too long is shown as it was typed:
    // cut to a telephone number's length it would be somebody else's.
    phone(text) {
      if (/^\s*\+(?!55\s*\S)/.test(text)) return text.trim();
      const typed = digits(text.replace(/^\s*\+55/, "")).slice(0, 20);
      const value = typed.length > 11 && typed.startsWith("55") ? typed.slice(2) : typed;
      if (value.length < 3 || value.length > 11) return value;
      const middle = value.length > 10 ? 7 : 6;
      const last = value.slice(middle);
      return `(${value.slice(0, 2)}) ${value.slice(2, middle)}${last && `-${last}`}`;
    },
  };

  function grouped(value, sizes, marks) {
    let at = 0;
    let text = "";
    sizes.forEach((size, index) => {
      const part = value.slice(at, at + size);
      if (part) text += (index ? marks[index - 1] : "") + part;
      at += size;
    });
    return text;
  }

  // Writes the mask while keeping the caret behind the same character.
  function mask(input) {
    const write = masks[input.dataset.mask];
    const significant = (text) => text.replace(/[^0-9A-Za-z]/g, "").length;
    const before = significant(input.value.slice(0, input.selectionStart));
    const masked = write(input.value);
    if (masked === input.value) return;
    input.value = masked;
    let caret = 0;
    while (significant(masked.slice(0, caret)) < before && caret < masked.length) caret += 1;
    input.setSelectionRange(caret, caret);
  }

  function typing(input) {
    if (input.dataset.mask) {
      input.addEventListener("input", () => mask(input));
      if (input.value) mask(input);
    }
    input.addEventListener("blur", () => {
      if (!pressing && (input.value || input.hasAttribute("aria-invalid"))) judge(input);
    });
    input.addEventListener("input", () => { if (input.hasAttribute("aria-invalid")) judge(input); });
  }

  // Few payers have letters in their document: the number keyboard is offered first, the other on request.
  function letters(button) {
    const input = one("#customer_cpf");
    const numeric = (on) => {
      input.inputMode = on ? "numeric" : "text";
      button.setAttribute("aria-pressed", String(!on));
    };
    button.hidden = false;
    numeric(!/[A-Za-z]/.test(input.value));
    button.addEventListener("click", () => {
      numeric(button.getAttribute("aria-pressed") === "true");
      input.focus();
    });
  }

  // The tab remembers the payer until the payment, so that a new code after an expired one costs no typing.
  const payerFields = ["customer_name", "customer_cpf", "customer_email", "customer_phone"];

  function remember(form) {
    const data = new FormData(form);
    kept((store) => store.setItem("payer", JSON.stringify(payerFields.map((name) => data.get(name)))));
  }

  function recall() {
    const known = kept((store) => JSON.parse(store.getItem("payer"))) ?? [];
    payerFields.forEach((name, index) => {
      const input = document.getElementById(name);
      if (!input.value && known[index]) input.value = known[index];
    });
  }

  function kept(use) {
    try {
      return use(sessionStorage);
    } catch {
      return null; // Storage is switched off: then nothing is remembered.
    }
  }

  // ---- Copying the code

  function copying(button) {
    const code = one("#pix-code");
    const label = one("span", button);
    const said = label.textContent;
    const place = one("#copy-result");
    const confirmed = (on) => {
      label.textContent = on ? button.dataset.copied : said;
      button.classList.toggle("done", on);
    };
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copy(code);
      if (done) button.focus();
      show(place, done ? button.dataset.copy : button.dataset.failed);
      place.classList.toggle("failed", !done);
      confirmed(done);
      setTimeout(confirmed, 4000, false);
    });
    code.addEventListener("focus", () => code.select());
  }

  async function copy(code) {
    try {
      await navigator.clipboard.writeText(code.value);
      return true;
    } catch {
      code.select();
      return document.execCommand("copy"); // Plain http has no clipboard.
    }
  }

  // To everybody: beside what was pressed, and by the live region.
  function show(place, text) {
    place.textContent = text;
    place.hidden = false;
    tell("");
    setTimeout(tell, 50, text);
  }

  // ---- Following a charge: an event stream where it gets through, questions where it doesn't

  function follow(main, signal) {
    const address = main.dataset.charge;
    const waits = main.dataset.status === "pending";
    let stream = null;
    let heard = 0; // When the stream last spoke. One that opens and says nothing is held back by a proxy.
    let spoke = false;
    let timer = 0;
    let slower = 1;

    const moved = async (status) => {
      away(false);
      if (status === main.dataset.status) return;
      stop();
      await refresh(signal).catch(() => later(POLL));
    };

    const stop = () => {
      stream?.close();
      stream = null;
      clearTimeout(timer);
    };

    const later = (pause) => {
      clearTimeout(timer);
      if (!signal.aborted) timer = setTimeout(look, pause);
    };

    const listening = () => stream?.readyState === EventSource.OPEN && Date.now() - heard < SILENCE;

    const hear = () => {
      heard = Date.now();
      spoke = true;
    };

    const listen = () => {
      if (!waits || !window.EventSource) return;
      stream?.close();
      stream = new EventSource(`${address}/events`);
      stream.addEventListener("beat", hear);
      stream.addEventListener("status", (event) => {
        hear();
        moved(event.data);
      });
    };

    // True where the server has answered that the charge is as it was.
    const look = async () => {
      if (listening()) return later(POLL);
      let read = false;
      try {
        const answer = await ask(`${address}/status`);
        if (answer.status === 429) return later(1000 * (Number(answer.headers.get("retry-after")) || 60));
        if (!answer.ok) throw new Error(answer.status);
        slower = 1;
        await moved((await answer.json()).status);
        read = true;
        if (spoke && stream && !listening()) listen();
      } catch {
        away(true);
        slower = Math.min(slower * 1.5, 6);
      }
      if (!signal.aborted) later((document.hidden || !waits ? POLL_UNSEEN : POLL) * slower);
      return read && !signal.aborted;
    };

    const away = (on) => {
      const status = one("#status");
      if (!status) return;
      const text = one("[data-state]", status);
      text.dataset.usual ??= text.textContent;
      status.classList.toggle("away", on);
      text.textContent = on ? main.dataset.offline : text.dataset.usual;
    };

    const back = () => { if (!document.hidden) later(0); };

    listen();
    later(waits ? POLL : POLL_UNSEEN);
    // Back from the bank's application, or back on the network: look at once, whatever the stream believes.
    document.addEventListener("visibilitychange", () => { heard = 0; back(); }, { signal });
    addEventListener("pageshow", (event) => { if (event.persisted) { heard = 0; back(); } }, { signal });
    addEventListener("online", () => { heard = 0; back(); }, { signal });
    addEventListener("offline", () => away(true), { signal });
    signal.addEventListener("abort", stop);
    one("[data-check]")?.addEventListener("click", async (event) => {
      event.preventDefault();
      heard = 0;
      const place = one("#check-result");
      if (await look()) show(place, main.dataset.checked.replace("{time}", new Date().toLocaleTimeString("pt-BR")));
      else if (!signal.aborted) place.hidden = true;
    });
    if (waits) countdown(main, signal, () => { heard = 0; later(500); });
  }

  function countdown(main, signal, over) {
    const place = one("[data-countdown]");
    const timer = one("[role=timer]", place);
    const end = Date.now() + 1000 * Number(main.dataset.seconds);
    const due = [300, 60].filter((seconds) => seconds < Number(main.dataset.seconds));
    place.hidden = false;
    const tick = () => {
      const left = Math.max(0, Math.round((end - Date.now()) / 1000));
      timer.textContent = clock(left);
      if (left <= due[0]) warn(main, due.shift());
      if (left) return;
      clearInterval(beat);
      over();
    };
    const beat = setInterval(tick, 1000);
    signal.addEventListener("abort", () => clearInterval(beat));
    tick();
  }

  function warn(main, seconds) {
    const { minutesLeft, minuteLeft } = main.dataset;
    tell(seconds > 60 ? minutesLeft.replace("{minutes}", seconds / 60) : minuteLeft);
  }

  function clock(seconds) {
    const two = (number) => String(number).padStart(2, "0");
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor(seconds / 60) % 60;
    if (hours >= 48) return `${Math.floor(hours / 24)} dias`;
    return hours ? `${hours} h ${two(minutes)} min` : `${two(minutes)}:${two(seconds % 60)}`;
  }

  // ---- After the payment

  // The payer goes back to the store by themselves, unless they do anything here: a button, a key or a touch keeps them.
  function returning() {
    const link = one("[data-return]");
    if (!link) return;
    const place = one(".returning");
    let left = STAY;
    const tick = () => {
      one("span", place).textContent = link.dataset.return.replace("{seconds}", left);
      if (left === 0) location.assign(link.href);
      left -= 1;
    };
    const timer = setInterval(tick, 1000);
    const stop = new AbortController();
    const { signal } = stop;
    const stay = () => {
      stop.abort();
      clearInterval(timer);
      if (place.contains(document.activeElement)) one("h1").focus({ preventScroll: true });
      place.style.visibility = "hidden"; // What is below it stays under the finger.
      tell(place.dataset.stayed);
    };
    const meant = (event) => { if (!place.contains(event.target) && event.target !== link) stay(); };
    ended.signal.addEventListener("abort", () => { stop.abort(); clearInterval(timer); }, { signal });
    one("button", place).addEventListener("click", stay, { signal });
    for (const act of ["keydown", "pointerdown", "wheel", "click"]) addEventListener(act, meant, { signal, passive: true });
    place.hidden = false;
    tick();
  }

  // ---- A page, drawn by the server or by us

  function start() {
    ended = new AbortController();
    const form = one("[data-form]");
    if (form) recall();
    all("[data-swap]").forEach(sending);
    all("[data-form] input[aria-describedby]").forEach(typing);
    all("[data-letters]").forEach(letters);
    all("[data-copy]").forEach(copying);
    all("[data-print]").forEach((button) => {
      button.hidden = false;
      button.addEventListener("click", () => print());
    });
    const main = one("main");
    if (["pending", "under_review", "expired"].includes(main.dataset.status)) follow(main, ended.signal);
    if (["paid", "refunded"].includes(main.dataset.status)) kept((store) => store.removeItem("payer"));
  }

  addEventListener("popstate", () => location.reload());
  start();
})();
