import{n as e}from"./rolldown-runtime-WkwZ5CU-.js";import{i as t,r as n}from"./react-AyOTluXZ.js";function r(e){return e[e.length-1]}function i(e,t){return typeof e==`function`?e(t):e}var a=Object.prototype.hasOwnProperty;function o(e){for(let t in e)if(a.call(e,t))return!0;return!1}var s=()=>Object.create(null),c=(e,t)=>l(e,t,!0);function l(e,t,n,i=0){if(e===t)return e;if(i++>500)return t;let o=Array.isArray(e)&&Array.isArray(t);if(!o&&!(u(e)&&u(t)))return t;let c=Object.keys(e),d=c.length,f=Object.keys(t),p=f.length;if(o?d!==e.length||p!==t.length||d&&r(c)!==`${d-1}`||p&&r(f)!==`${p-1}`:d!==Object.getOwnPropertyNames(e).length||p!==Object.getOwnPropertyNames(t).length||Object.getOwnPropertySymbols(t).length)return t;let m=0,h,g,_;if(o){for(;m<p&&(_=m,g=e[_],h=t[_],h=g===h?g:typeof g==`object`?l(g,h,n,i):h,h===g);m++);if(m===p&&d===p)return e}else{let r=d===p,o=!0;for(;m<p;m++){_=f[m],g=e[_];let s=t[_];h=g===s?g:typeof g==`object`?l(g,s,n,i):s,r&&=h===g&&(c[m]===_||a.call(e,_)),o&&=Object.is(h,s),c[m]=h}if(r)return Object.getOwnPropertySymbols(e).length?t:e;if(o)return t}let v=o?f.fill(0):n?s():{};for(let r=0;r<p;r++)_=o?r:f[r],o?(g=e[_],r>m&&(h=t[_],h=g===h?g:typeof g==`object`?l(g,h,n,i):h),v[_]=r<m?g:h):v[_]=c[r];return v}function u(e){return!e||typeof e!=`object`?!1:(Object.getPrototypeOf(e)?.constructor??Object)===Object}function d(e,t,n,r){if(e===t)return!0;if(Array.isArray(e)&&Array.isArray(t)){if(e.length!==t.length)return!1;for(let i=0,a=e.length;i<a;i++){let a=e[i],o=t[i];if(a!==o&&!d(a,o,n,r))return!1}return!0}if(u(e)&&u(t)){if(n){for(let i in t)if((r||t[i]!==void 0)&&!d(e[i],t[i],n,r))return!1;return!0}let i=0;if(r)i=Object.keys(e).length;else for(let t in e)e[t]!==void 0&&i++;for(let a in t)if((r||t[a]!==void 0)&&(i--===0||!d(e[a],t[a],n,r)))return!1;return i===0}return!1}function f(e){return typeof e?.message==`string`?e.message.startsWith(`Failed to fetch dynamically imported module`)||e.message.startsWith(`error loading dynamically imported module`)||e.message.startsWith(`Importing a module script failed`):!1}var p=/[\x00-\x1f\x7f"<>`{}]/g;function m(e){return e.replace(p,e=>`%`+e.charCodeAt(0).toString(16).toUpperCase().padStart(2,`0`))}function h(e){let t;try{t=decodeURI(e)}catch{t=e.replaceAll(/%[0-9A-F]{2}/gi,e=>{try{return decodeURI(e)}catch{return e}})}return m(t)}var g=[`http:`,`https:`,`mailto:`,`tel:`];function _(e){if(e[0]!==`/`&&e.includes(`:`))return/^[\x00-\x20]*([a-z][a-z\d+.\t\n\r-]*:)/i.exec(e)?.[1]?.replace(/[\t\n\r]/g,``).toLowerCase()}var v=/^[\x00-\x20]*[\\/][\t\n\r]*[\\/]/;function y(e,t){if(!e)return!1;if(v.test(e))return!0;let n=_(e);return n?!t.has(n):!1}function b(e){if(!e)return e;let t=e;if(/[%\\\x00-\x1f\x7f]/.test(e)){let n=/%25|%5C/gi,r=0,i;for(t=``;(i=n.exec(e))!==null;)t+=h(e.slice(r,i.index))+i[0],r=n.lastIndex;t+=h(r?e.slice(r):e)}return t}function x(e){return/[\s\u0080-\uFFFF]/.test(e)?e.replace(/\s|[^\u0000-\u007F]/gu,encodeURIComponent):e}function S(e,t){if(e===t)return!0;if(e.length!==t.length)return!1;for(let n=0;n<e.length;n++)if(e[n]!==t[n])return!1;return!0}function C(){throw Error(`Invariant failed`)}function w(e){return e.replace(/\/{2,}/g,`/`)}function T(e){return e===`/`?e:e.replace(/^\/+/,``)}function E(e){let t=e.length;return t>1&&e[t-1]===`/`?e.replace(/\/+$/,``):e}function D(e){return E(T(e))}function O(e,t){return e?.endsWith(`/`)&&e!==`/`&&e!==`${t}/`?e.slice(0,-1):e}function k(e,t,n=`never`,i){if(t.includes(`//`)&&(t=w(t)),t.startsWith(`/`))return t.length===1||n===`preserve`?t:n===`always`?t.endsWith(`/`)?t:`${t}/`:t.endsWith(`/`)?t.slice(0,-1):t;let a=t===`.`,o;if(i){o=a?e:e+`\0`+t;let n=i.get(o);if(n)return n}let s;if(a)s=e.split(`/`);else{for(e.includes(`//`)&&(e=w(e)),s=e.split(`/`);s.length>1&&r(s)===``;)s.pop();let n=t.split(`/`);for(let e=0,t=n.length;e<t;e++){let r=n[e];r===``?e?e===t-1&&s.push(r):s=[r]:r===`..`?s.length>1?s.pop():s=[``]:r===`.`||s.push(r)}}s.length>1&&(r(s)===``?n===`never`&&s.pop():n===`always`&&s.push(``));let c=s.join(`/`),l=(a?w(c):c)||`/`;return o&&i&&i.set(o,l),l}function A(e){let t=new Map(e.map(e=>[encodeURIComponent(e),e])),n=new RegExp([...t.keys()].join(`|`).replace(/[.*()]/g,`\\$&`),`g`);return e=>e.replace(n,e=>t.get(e)??e)}function j(e){return e==null||e===``}function M(e,t,n){if(typeof t!=`string`)return``+(t??void 0);let r=e===`_splat`;if(r&&(!t||/^[a-zA-Z0-9\-._~!/]*$/.test(t)))return t;let i=encodeURIComponent(t);return r&&(i=i.replaceAll(`%2F`,`/`)),n?n(i):i}function ee(e,t,n,r,i){let a=e.endsWith(`/`)?`/`:``,o=``;for(let e of t){if(typeof e==`string`){o+=e;continue}let[t,s,c,l]=e,u=t===2,d=u&&l!==void 0?l+a:l,f=n[s];if(t!==3||f!=null){if(i&&(i[s]=f,u&&(i[`*`]=f)),u&&j(f)){if(c===`/`&&!d)continue;f=``}o+=c+M(s,f,r)+(d||``)}}return o+a||`/`}function N(e){return e?.isNotFound===!0}function P(){try{return sessionStorage}catch{return}}var te=`tsr-scroll-restoration-v1_3`,ne=P();function re(){try{return JSON.parse(ne?.getItem(`tsr-scroll-restoration-v1_3`)||`{}`)}catch{return{}}}var F=re(),ie=`data-scroll-restoration-id`,ae=e=>e.state.__TSR_key||e.href;function oe(e){let t=e.getAttribute(ie);if(t)return`[${ie}="${t}"]`;let n=``,r=e,i;for(;i=r.parentNode;){let e=1,t=r;for(;t=t.previousElementSibling;)e++;let a=`${r.localName}:nth-child(${e})`;n=n?`${a} > ${n}`:a,r=i}return n}var se=!1,ce=`window`;function le(e){try{return typeof e==`function`?e():document.querySelector(e)}catch{}}function ue(e){let t=new Set;for(let n of e){if(n===ce)continue;let e=le(n);e&&t.add(e)}return t}function de(e,t){let n=t??e.options.scrollRestoration,r=e._scroll;n&&(r.e=!0);let i=e.options.getScrollRestorationKey||ae,a=new Set,o=e=>{let t=F[e]||={};for(let e of a)e===document?t[ce]={scrollX,scrollY}:e.isConnected&&(t[oe(e)]={scrollX:e.scrollLeft,scrollY:e.scrollTop})};n&&!r.s&&(r.s=!0,se=!1,history.scrollRestoration=`manual`,document.addEventListener(`scroll`,e=>{se||a.add(e.target)},!0),e.subscribe(`onBeforeLoad`,e=>{e.fromLocation&&o(i(e.fromLocation)),a.clear()}),addEventListener(`pagehide`,()=>{history.scrollRestoration=`auto`,o(i(e.stores.resolvedLocation.get()??e.stores.location.get()));try{ne?.setItem(te,JSON.stringify(F))}catch{}}),addEventListener(`pageshow`,e=>{e.persisted&&(history.scrollRestoration=`manual`)})),r.r||(r.r=!0,e.subscribe(`onRendered`,t=>{let n=e.options.scrollRestorationBehavior,o=e.options.scrollToTopSelectors,s=r.n,c=r.h,l;if(a.clear(),r.n=!0,r.h=!1,typeof e.options.scrollRestoration==`function`&&!e.options.scrollRestoration({location:e.latestLocation}))return;let u=i(t.toLocation),d=t.fromLocation&&i(t.fromLocation);if(r.e&&d&&d!==u){let e=F[d];if(e){let t=F[u];for(let n in e){if(n===ce){if(s)continue}else{let e=le(n);if(!e||s&&o&&(l??=ue(o),l.has(e)))continue}t||=F[u]={},t[n]??=e[n]}}}se=!0;try{let e=t.toLocation.hash,i=t.toLocation.state.__hashScrollIntoViewOptions??!0,a=!1;if(s){!e&&o&&(l??=ue(o));let t=e&&i&&c,s=r.e?F[u]:void 0;if(s)for(let e in s){let{scrollX:r,scrollY:i}=s[e];if(e===ce){if(t)continue;scrollTo({top:i,left:r,behavior:n}),a=!0}else{let t=le(e);t&&(t.scrollLeft=r,t.scrollTop=i,l?.delete(t))}}if(!e){let e={top:0,left:0,behavior:n};if(a||scrollTo(e),l)for(let t of l)t.scrollTo(e)}}!a&&e&&i&&document.getElementById(e)?.scrollIntoView(i)}finally{se=!1}}))}function fe(e,t=String){let n;for(let r in e){let i=e[r];i!==void 0&&(n||=new URLSearchParams).set(r,t(i))}return n?n.toString():``}function pe(e){return e?e===`false`?!1:e===`true`?!0:e*0==0&&+e+``===e?+e:e:``}function me(e){let t=new URLSearchParams(e),n=Object.create(null);for(let[e,r]of t.entries()){let t=n[e];t==null?n[e]=pe(r):Array.isArray(t)?t.push(pe(r)):n[e]=[t,pe(r)]}return n}var he=/^(?:\s|["[{\d-]|fa|nu|tr)/,ge=ve(JSON.parse),_e=ye(JSON.stringify,JSON.parse);function ve(e){let t=e===JSON.parse;return n=>{n[0]===`?`&&(n=n.slice(1));let r=me(n);for(let n in r){let i=r[n];if(typeof i==`string`){if(t&&!he.test(i))continue;try{r[n]=e(i)}catch{}}}return r}}function ye(e,t){let n=t===JSON.parse;function r(r){if(r&&typeof r==`object`)try{return e(r)}catch{}else if(t&&typeof r==`string`){if(n&&!he.test(r))return r;try{return t(r),e(r)}catch{}}return r}return e=>{let t=fe(e,r);return t?`?${t}`:``}}var be=`__root__`;function xe(e){e.statusCode=e.statusCode||e.code||307;let t=new Headers(e.headers);e.href&&t.get(`Location`)===null&&t.set(`Location`,e.href);let n=new Response(null,{status:e.statusCode,headers:t});if(n.options=e,e.throw)throw n;return n}function Se(e){return e instanceof Response&&!!e.options}function Ce(e){let t=new Map,n,r;return{get(e){let n=t.get(e);if(n)return n.visited=!0,n.value},set(i,a){let o=t.get(i);if(o){o.value=a;return}if(t.size>=e){let e=n?.next().value;for(;!e||e.visited;)e?e.visited=!1:n=t.values(),e=n.next().value;e===r&&(n=void 0),t.delete(e.key)}let s={key:i,value:a,visited:!1};r=s,t.set(i,s)},clear(){t.clear(),n=void 0,r=void 0}}}var I=4,we=5;function Te(e){let t=e.names;if(t)return t;let n=[];for(let t of e)typeof t!=`string`&&n.push(t[1]);return e.names=n}function Ee(e,t,n){let r=e.slice(t,n);if(r.charCodeAt(0)===36)return r.length===1?[2,`_splat`,``,void 0]:[1,r.slice(1),``,``];let i=r.indexOf(`{`);if(i>=0){let a=r.indexOf(`}`,i),o=r.charCodeAt(i+1)===45,s=i+(o?3:2);if(a>=0&&r.charCodeAt(s-1)===36&&(!o||s<a)){let c=r.slice(s,a);return[o?3:c?1:2,c||`_splat`,r.slice(0,i),e.slice(t+a+1,c?n:e.length)]}}return r}function De(e,t,n,i,a,o){let s=n,c=t.fullPath??t.from,l=t.options,u=c.length,d=c.endsWith(`/`)?u-1:u,f=l?.caseSensitive??e,p=l?.params?.parse??l?.parseParams,m,h=o?n-1:0;if(!i||c.includes(`$`)){m=o?.slice()??[];let e=r(m);e&&typeof e!=`string`&&e[0]===2&&(m[m.length-1]=[e[0],e[1],e[2],e[3]===void 0?void 0:e[3]+c.substring(n-(c[n-2]===`/`?2:1),d)],h=u)}for(;s<u;){let e=s,t=c.indexOf(`/`,e),n=t===-1?u:t,r=Ee(c,e,n);s=n+1;let o;if(typeof r==`string`){if(!i)continue;let e=r,t;f?t=i.static??=new Map:(e=r.toLowerCase(),t=i.staticInsensitive??=new Map);let n=t.get(e);if(n)o=n;else{let n=L(i);o=n,t.set(e,n)}}else{let t=r[0],l=r[2],g=r[3]??``;if(t===2&&(n=u,s=n+1),m&&h<n&&(h<e-1&&m.push(c.slice(h,e-1)),r[2]=`/`+l,t===2&&r[3]!==void 0&&d<u&&(r[3]=g.slice(0,-1)),m.push(r),h=n),!i)continue;let _=f&&!!(l||g);f||(l=l.toLowerCase(),g=g.toLowerCase());let v=t===1?i.dynamic??=[]:t===3?i.optional??=[]:i.wildcard??=[],y=t!==2&&!p&&v.find(e=>!e.parse&&e.caseSensitive===_&&e.prefix===l&&e.suffix===g);if(y)o=y;else{let e=L(i,t,_,l,g);o=e,v.push(e),v.length===2&&a?.push(v)}}i=o}m&&h<d&&m.push(c.slice(h,d));let g=m?.slice();if(!i)return g;if(p&&t.children&&!t.isRoot&&t.id&&t.id.charCodeAt(t.id.lastIndexOf(`/`)+1)===95){let e=L(i,we);(i.pathless??=[]).push(e),i=e}let _=(t.path||!t.children)&&!t.isRoot;if(_&&d<u){let e=L(i,I);i.index=e,i=e}return i.parse=p??null,i.priority=l?.params?.priority??0,i.route||(i.data=g,_&&(i.route=t)),[i,s,g]}function Oe(e,t){if(e.parse&&!t.parse)return-1;if(!e.parse&&t.parse)return 1;if(e.parse&&t.parse&&(e.priority||t.priority))return t.priority-e.priority;if(e.prefix&&t.prefix&&e.prefix!==t.prefix){if(e.prefix.startsWith(t.prefix))return-1;if(t.prefix.startsWith(e.prefix))return 1}if(e.suffix&&t.suffix&&e.suffix!==t.suffix){if(e.suffix.endsWith(t.suffix))return-1;if(t.suffix.endsWith(e.suffix))return 1}return e.prefix&&!t.prefix?-1:!e.prefix&&t.prefix?1:e.suffix&&!t.suffix?-1:!e.suffix&&t.suffix?1:e.caseSensitive&&!t.caseSensitive?-1:!e.caseSensitive&&t.caseSensitive?1:0}function L(e,t=0,n,r,i){return{kind:t,depth:e?e.depth+1:0,pathless:null,index:null,static:null,staticInsensitive:null,dynamic:null,optional:null,wildcard:null,route:null,data:void 0,parent:e,parse:null,priority:0,caseSensitive:n,prefix:r,suffix:i}}function ke(e,t){let n=L(),r=[];function i(e,t,n,a){let[o,s,c]=De(!1,e,t,n,r,a);if(e.children)for(let t of e.children)i(t,s,o,c)}for(let t of e)i(t,1,n);for(let e of r)e.sort(Oe);t.masksTree=n,t.flatCache=Ce(1e3)}function Ae(e,t){e||=`/`;let n=t.flatCache.get(e);if(n!==void 0)return n;let r=Pe(e,t.masksTree);return t.flatCache.set(e,r),r}function je(e,t,n,r,i){e||=`/`,r||=`/`;let a=t?`case\0${e}`:e,o=i.singleCache.get(a);return o||(o=L(),De(t,{from:e},1,o),i.singleCache.set(a,o)),Pe(r,o,n)}function Me(e,t,n=!1){let r=n?e:`nofuzz\0${e}`,i=t.matchCache.get(r);if(i!==void 0)return i;e||=`/`;let a;try{a=Pe(e,t.segmentTree,n)}catch(e){if(e instanceof URIError)a=null;else throw e}return a&&(a.branch=Ie(a.route)),t.matchCache.set(r,a),a}function Ne(e,t=!1){let n=L(),r=[],i={},a={},o=0;function s(e,n,c,l){if(e.init(o),e.id in i&&C(),i[e.id]=e,o!==0&&e.path){let t=E(e.fullPath);(!a[t]||e.fullPath.endsWith(`/`))&&(a[t]=e)}o++;let[u,d,f]=De(t,e,n,c,r,l);if(e._interpolation=f,e.children)for(let t of e.children)s(t,d,u,f)}s(e,1,n);for(let e of r)e.sort(Oe);return{processedTree:{segmentTree:n,singleCache:Ce(1e3),matchCache:Ce(1e3),flatCache:null,masksTree:null},routesById:i,routesByPath:a}}function Pe(e,t,n=!1){let r=e.split(`/`),i=Re(e,r,t,n);if(!i)return null;let[a]=Fe(e,r,i);return{route:i.node.route,rawParams:a}}function Fe(e,t,n){let r=Le(n.node),i=n.node.data&&Te(n.node.data),a=Object.create(null),o=n.extract?.part??0,s=n.extract?.node??0,c=n.extract?.path??0,l=n.extract?.param??0;for(;s<r.length;o++,s++,c++){let u=r[s];if(u.kind===I)break;if(u.kind===we){o--,c--;continue}let d=t[o],f=c;if(d&&(c+=d.length),u.kind===1||u.kind===3){let e=i[l++];if(u.kind===3&&n.skipped&1<<s){o--,c=f-1;continue}let t=u.suffix||u.prefix?d.substring(u.prefix.length,d.length-u.suffix.length):d;(t||u.kind===1)&&(a[e]=decodeURIComponent(t))}else if(u.kind===2){let t=u,n=e.substring(f+t.prefix.length,e.length-t.suffix.length),r=decodeURIComponent(n);a[`*`]=r,a._splat=r;break}}return n.rawParams&&Object.assign(a,n.rawParams),[a,{part:o,node:s,path:c,param:l}]}function Ie(e){let t=[e];for(;e.parentRoute;)e=e.parentRoute,t.push(e);return t.reverse(),t}function Le(e){let t=Array(e.depth+1);do t[e.depth]=e,e=e.parent;while(e);return t}function Re(e,t,n,i){if(e===`/`&&n.index)return{node:n.index,skipped:0};let a=!r(t),o=a&&e!==`/`,s=t.length-+!!a,c=[{node:n,index:1,skipped:0,statics:0,dynamics:0,optionals:0}],l=null,u=null;for(;c.length;){let n=c.pop(),{node:r,index:a,skipped:d,statics:f,dynamics:p,optionals:m}=n,{extract:h,rawParams:g}=n;if(r.kind===2&&r.route&&!He(u,n))continue;if(r.parse){if(!Ve(e,t,n))continue;g=n.rawParams,h=n.extract}i&&r.route&&r.kind!==I&&He(l,n)&&(l=n);let _=a===s;if(_&&(r.route&&(!o||r.kind===I||r.kind===2)&&He(u,n)&&(u=n),!r.optional&&!r.wildcard&&!r.index&&!r.pathless))continue;let v=_?void 0:t[a],y;if(_&&r.index){let n={node:r.index,index:a,skipped:d,statics:f,dynamics:p,optionals:m,extract:h,rawParams:g},i=!0;if(r.index.parse&&(Ve(e,t,n)||(i=!1)),i){if(!p&&!m&&!d&&Be(f,s))return n;He(u,n)&&(u=n)}}if(r.wildcard)for(let e=r.wildcard.length-1;e>=0;e--){let n=r.wildcard[e],{prefix:i,suffix:o}=n;if(!i||!_&&(n.caseSensitive?v:y??=v.toLowerCase()).startsWith(i)){if(o){if(_)continue;let e=t.slice(a).join(`/`),r=e.slice(-o.length);if((n.caseSensitive?r:r.toLowerCase())!==o||e.length-o.length<i.length)continue}c.push({node:n,index:s,skipped:d,statics:f,dynamics:p,optionals:m,extract:h,rawParams:g})}}if(r.optional){let e=d|1<<r.depth+1;for(let t=r.optional.length-1;t>=0;t--){let n=r.optional[t];c.push({node:n,index:a,skipped:e,statics:f,dynamics:p,optionals:m,extract:h,rawParams:g})}if(!_)for(let e=r.optional.length-1;e>=0;e--){let t=r.optional[e],{prefix:n,suffix:i}=t;if(n||i){let e=t.caseSensitive?v:y??=v.toLowerCase();if(n&&!e.startsWith(n)||i&&e.indexOf(i,e.length-i.length)<n.length)continue}c.push({node:t,index:a+1,skipped:d,statics:f,dynamics:p,optionals:m+ze(s,a),extract:h,rawParams:g})}}if(!_&&r.dynamic&&v)for(let e=r.dynamic.length-1;e>=0;e--){let t=r.dynamic[e],{prefix:n,suffix:i}=t;if(n||i){let e=t.caseSensitive?v:y??=v.toLowerCase();if(n&&!e.startsWith(n)||i&&e.indexOf(i,e.length-i.length)<n.length)continue}c.push({node:t,index:a+1,skipped:d,statics:f,dynamics:p+ze(s,a),optionals:m,extract:h,rawParams:g})}if(!_&&r.staticInsensitive){let e=r.staticInsensitive.get(y??=v.toLowerCase());e&&c.push({node:e,index:a+1,skipped:d,statics:f+ze(s,a),dynamics:p,optionals:m,extract:h,rawParams:g})}if(!_&&r.static){let e=r.static.get(v);e&&c.push({node:e,index:a+1,skipped:d,statics:f+ze(s,a),dynamics:p,optionals:m,extract:h,rawParams:g})}if(r.pathless)for(let e=r.pathless.length-1;e>=0;e--){let t=r.pathless[e];c.push({node:t,index:a,skipped:d,statics:f,dynamics:p,optionals:m,extract:h,rawParams:g})}}if(u)return u;if(i&&l){let n=l.index;for(let e=0;e<l.index;e++)n+=t[e].length;let r=n===e.length?`/`:e.slice(n);return l.rawParams??=Object.create(null),l.rawParams[`**`]=decodeURIComponent(r),l}return null}function ze(e,t){return 2**(e-t-1)}function Be(e,t){return e===2**(t-1)-1}function Ve(e,t,n){let r,i;try{[r,i]=Fe(e,t,n)}catch{return null}if(n.rawParams=r,n.extract=i,!n.node.parse)return!0;try{if(n.node.parse(r)===!1)return null}catch{}return!0}function He(e,t){return!e||t.statics>e.statics||t.statics===e.statics&&(t.dynamics>e.dynamics||t.dynamics===e.dynamics&&(t.optionals>e.optionals||t.optionals===e.optionals&&((t.node.kind===I)>(e.node.kind===I)||t.node.kind===I==(e.node.kind===I)&&t.node.depth>e.node.depth)))}function Ue(e,t,n){let r=D(e),i=`/${r}`,a=t?i:i.toLowerCase(),o=`${a}/`,s={input:({url:e})=>{let n=t?e.pathname:e.pathname.toLowerCase();return n===a?e.pathname=`/`:n.startsWith(o)&&(e.pathname=e.pathname.slice(i.length)),e},output:({url:e})=>(e.pathname=w(`/${r}${e.pathname}`),e)};return n?{input:({url:e})=>We(n,s.input({url:e})),output:({url:e})=>s.output({url:Ge(n,e)})}:s}function We(e,t){let n=e?.input?.({url:t});if(n){if(typeof n==`string`)return new URL(n);if(n instanceof URL)return n}return t}function Ge(e,t){let n=e?.output?.({url:t});if(n){if(typeof n==`string`)return new URL(n);if(n instanceof URL)return n}return t}function Ke(e){let t=e;return{get(){return t},set(e){t=i(e,t)}}}function qe(e){return{get(){return e()}}}function Je(e,t){let{createMutableStore:n,createReadonlyStore:r,batch:i}=t,a=new Map,o=n(`idle`),s=n(e),c=n(void 0),l=n([]),u=r(()=>l.get().map(e=>a.get(e).get())),d=r(()=>({status:o.get(),isLoading:o.get()===`pending`,matches:u.get(),location:s.get(),resolvedLocation:c.get()}));function f(e){let t=a.get(e);return t||(t=n(void 0),a.set(e,t)),t}let p={status:o,location:s,resolvedLocation:c,ids:l,matches:u,byRoute:a,__store:d,getMatchStore:f,setMatches:m};function m(e){let t=l.get(),n=e.map(e=>e.routeId);i(()=>{S(t,n)||l.set(n);for(let e of t)n.includes(e)||a.get(e).set(()=>void 0);for(let t of e){let e=f(t.routeId);e.get()!==t&&e.set(t)}})}return p}var R=`__TSR_index`,Ye=`popstate`,Xe=`beforeunload`,Ze=/^[\x00-\x20]*(?:[\\/][\t\n\r]*){2,}/;function Qe(e){let t=Ze.exec(e);return t?`/`+e.slice(t[0].length):e}function $e(e){return/[\x00-\x1f\x7f]/.test(e)&&(e=e.replace(/[\x00-\x1f\x7f]/g,e=>`	
\r`.includes(e)?``:encodeURIComponent(e))),Qe(e)}function et(e){let t=e.getLocation(),n=new Set,r=r=>{t=e.getLocation(),n.forEach(e=>e({location:t,action:r}))},i=n=>{e.notifyOnIndexChange??!0?r(n):t=e.getLocation()},a=async n=>{let r=n.navigateOpts?.ignoreBlocker?void 0:e.getBlockers?.();if(typeof document<`u`&&r?.length&&(n.type===`PUSH`||n.type===`REPLACE`))for(let i of r){let r=rt(n.path,n.state);if(await i.blockerFn({currentLocation:t,nextLocation:r,action:n.type})){e.onBlocked?.();return}}n.task()};return{get location(){return t},get length(){return e.getLength()},subscribers:n,subscribe:e=>(n.add(e),()=>{n.delete(e)}),push:(n,i,o)=>{let s=t.state[R];i=tt(s+1,i),a({task:()=>{e.pushState(n,i),r({type:`PUSH`})},navigateOpts:o,type:`PUSH`,path:n,state:i})},replace:(n,i,o)=>{let s=t.state[R];i=tt(s,i),a({task:()=>{e.replaceState(n,i),r({type:`REPLACE`})},navigateOpts:o,type:`REPLACE`,path:n,state:i})},go:(t,n)=>{a({task:()=>{e.go(t,n?.ignoreBlocker??!1),i({type:`GO`,index:t})},navigateOpts:n,type:`GO`})},back:t=>{a({task:()=>{e.back(t?.ignoreBlocker??!1),i({type:`BACK`})},navigateOpts:t,type:`BACK`})},forward:t=>{a({task:()=>{e.forward(t?.ignoreBlocker??!1),i({type:`FORWARD`})},navigateOpts:t,type:`FORWARD`})},canGoBack:()=>t.state[R]!==0,createHref:t=>e.createHref(t),block:t=>{if(!e.setBlockers)return()=>{};let n=e.getBlockers?.()??[];return e.setBlockers([...n,t]),()=>{let n=e.getBlockers?.()??[];e.setBlockers?.(n.filter(e=>e!==t))}},flush:()=>e.flush?.(),destroy:()=>e.destroy?.(),notify:r,_getBlockers:()=>e.getBlockers?.()??[]}}function tt(e,t){let n=it();return{...t,key:n,__TSR_key:n,[R]:e}}function nt(e){let t=e?.window??(typeof document<`u`?window:void 0),n=t.history.pushState,r=t.history.replaceState,i=[],a=()=>i,o=e=>i=e,s=t=>$e(e?.createHref?e.createHref(t):t),c=e?.parseLocation??(()=>rt(`${t.location.pathname}${t.location.search}${t.location.hash}`,t.history.state));if(!t.history.state?.__TSR_key&&!t.history.state?.key){let e=it();t.history.replaceState({[R]:0,key:e,__TSR_key:e},``)}let l=c(),u,d=!1,f=!1,p=!1,m=!1,h=()=>l,g,_=()=>{g&&(S._ignoreSubscribers=!0,(g[2]?t.history.pushState:t.history.replaceState)(g[1],``,g[0]),S._ignoreSubscribers=!1,g=void 0,u=void 0)},v=(t,n,r)=>{let i=e?.createHref?s(n):void 0,a=!!g;a||(u=l),l=rt(n,r),g=[i??l.href,r,g?.[2]||t],a||queueMicrotask(()=>_())},y=e=>{l=c(),S.notify({type:e})},b=async()=>{if(m=!1,f){f=!1;return}let e=c(),n=e.state[R]-l.state[R],r=n===1,i=n===-1,o=!r&&!i||d;d=!1;let s=o?`GO`:i?`BACK`:`FORWARD`,u=o?{type:`GO`,index:n}:{type:i?`BACK`:`FORWARD`};if(p)p=!1;else{let r=a();if(typeof document<`u`&&r.length){for(let i of r)if(await i.blockerFn({currentLocation:l,nextLocation:e,action:s})){f=!0,t.history.go(-n),S.notify(u);return}}}l=c(),S.notify(u)},x=e=>{if(m){m=!1;return}let t=!1,n=a();if(typeof document<`u`&&n.length)for(let e of n){let n=e.enableBeforeUnload??!0;if(n===!0||typeof n==`function`&&n()===!0){t=!0;break}}if(t)return e.preventDefault(),e.returnValue=``},S=et({getLocation:h,getLength:()=>t.history.length,pushState:(e,t)=>v(!0,e,t),replaceState:(e,t)=>v(!1,e,t),back:e=>(e&&(p=!0,m=!0),t.history.back()),forward:e=>{e&&(p=!0,m=!0),t.history.forward()},go:(e,n)=>{d=!0,n&&(p=!0,m=!0),t.history.go(e)},createHref:s,flush:_,destroy:()=>{t.history.pushState=n,t.history.replaceState=r,t.removeEventListener(Xe,x,{capture:!0}),t.removeEventListener(Ye,b)},onBlocked:()=>{u&&l!==u&&(l=u)},getBlockers:a,setBlockers:o,notifyOnIndexChange:!1});return S._ignoreNextBeforeUnload=e=>{m=!1;try{e=new URL(e,t.document.baseURI).href,m=/^https?:/.test(e)&&(!e.includes(`#`)||e.split(`#`)[0]!==t.location.href.split(`#`)[0])}catch{}},t.addEventListener(Xe,x,{capture:!0}),t.addEventListener(Ye,b),t.history.pushState=function(...e){let r=n.apply(t.history,e);return S._ignoreSubscribers||y(`PUSH`),r},t.history.replaceState=function(...e){let n=r.apply(t.history,e);return S._ignoreSubscribers||y(`REPLACE`),n},S}function rt(e,t){let n=$e(e),r=n.indexOf(`#`),i=n.indexOf(`?`);if(!t){let e=it();t={[R]:0,key:e,__TSR_key:e}}return{href:n,pathname:n.slice(0,r>-1?i>-1?Math.min(r,i):r:i>-1?i:n.length),hash:r>-1?n.slice(r):``,search:i>-1?n.slice(i,r===-1?void 0:r):``,state:t}}function it(){return(Math.random()+1).toString(36).slice(7)}function at(e,t){return e.protocol!==`http:`&&e.protocol!==`https:`||e.origin!==t||!!e.username||!!e.password}function ot(e){return e.pathname+e.search+e.hash}function st(e){return e.options.loader||e.options.beforeLoad||e.lazyFn||e.options.component?.preload||e.options.pendingComponent?.preload}function ct(e,t){return{fromLocation:t,toLocation:e,pathChanged:t?.pathname!==e.pathname,hrefChanged:t?.href!==e.href,hashChanged:t?.hash!==e.hash}}function lt({key:e,__TSR_key:t,__TSR_index:n,__hashScrollIntoViewOptions:r,...i}){return i}function ut(e){return e.findIndex(e=>e.status===`error`||e.status===`notFound`||e._notFound)+1}function dt(e,t,n,r,i,a){r&&(t=t.slice(0,r)),i&&(n=n.slice(0,i));for(let r of t){if(a&&e._tx!==a)return;n.some(e=>e.routeId===r.routeId)||e.routesById[r.routeId].options.onLeave?.(r)}for(let r of n){if(a&&e._tx!==a)return;e.routesById[r.routeId].options[t.some(e=>e.routeId===r.routeId)?`onStay`:`onEnter`]?.(r)}}var ft=class{constructor(e,t){this.tempLocationKey=`${Math.round(Math.random()*1e7)}`,this._scroll={n:!0},this.subscribers=new Set,this._cache=new Map,this._committed=[],this.startTransition=async e=>(e(),!1),this.update=e=>{let t=this.options;this.options={...t,...e},this.isServer=this.options.isServer??!1??typeof document>`u`,this.staticLocations=new WeakMap,this.protocolAllowlist=new Set(this.options.protocolAllowlist),(!this.history||this.options.history&&this.options.history!==this.history)&&(this.history=this.options.history?this.options.history:nt()),this.origin=this.options.origin,this.origin||=window?.origin&&window.origin!==`null`?window.origin:`http://localhost`;let n=this.options.basepath??`/`,r=this.options.rewrite,i=this.basepath!==n||t?.rewrite!==r||t?.caseSensitive!==this.options.caseSensitive;if(i&&(this.basepath=n,this.rewrite=n!==`/`&&D(n)?Ue(n,this.options.caseSensitive,r):r),this.history&&this.updateLatestLocation(),this.options.routeTree!==this.routeTree){this.routeTree=this.options.routeTree;let e;e=this.buildRouteTree(),this.setRoutes(e)}if(this.stores)i&&this.stores.location.set(this.latestLocation);else if(this.latestLocation){let e=this.getStoreConfig(this);this.batch=e.batch,this.stores=Je(this.latestLocation,e),de(this)}},this.updateLatestLocation=()=>{this.latestLocation=this.parseLocation(this.history.location,this.latestLocation)},this.buildRouteTree=()=>{let e=Ne(this.routeTree,this.options.caseSensitive);return this.options.routeMasks&&ke(this.options.routeMasks,e.processedTree),{...e,resolvePathCache:Ce(1e3)}},this.subscribe=(e,t)=>{let n={eventType:e,fn:t};return this.subscribers.add(n),()=>{this.subscribers.delete(n)}},this.emit=e=>{for(let t of this.subscribers)if(t.eventType===e.type)try{t.fn(e)}catch(e){console.error(e)}},this.parseLocation=(e,t)=>{let n=({pathname:e,search:n,hash:r,href:i},a)=>{if(!this.rewrite&&!/[ \x00-\x1f\x7f\u0080-\uffff]/.test(e)){let i=this.options.parseSearch(n),o=this.options.stringifySearch(i);return{href:e+o+r,publicHref:e+o+r,pathname:b(e),external:!1,searchStr:o,search:c(t?.search,i),hash:b(r.slice(1)),state:l(t?.state,a)}}let o=We(this.rewrite,new URL(i,this.origin)),s=this.options.parseSearch(o.search),u=this.options.stringifySearch(s);return o.search=u,{href:o.href.replace(o.origin,``),publicHref:i,pathname:b(Qe(o.pathname)),external:!!this.rewrite&&at(o,this.origin),searchStr:u,search:c(t?.search,s),hash:b(o.hash.slice(1)),state:l(t?.state,a)}},r=n(e,e.state),{__tempLocation:i,__tempKey:a}=r.state;if(i&&(!a||a===this.tempLocationKey)){let e=n(i,{...i.state,__tempLocation:void 0,key:r.state.key,__TSR_key:r.state.__TSR_key});return e.maskedLocation=r,e}return r},this.matchRoutes=(e,t,n)=>typeof e==`string`?this.matchRoutesInternal({pathname:e,search:t},n):this.matchRoutesInternal(e,t),this.getMatchedRoutes=e=>{let t=Object.create(null),n=Me(E(e),this.processedTree,!0);return n&&Object.assign(t,n.rawParams),[n?.branch||[this.routesById.__root__],t,n?.route]},this.buildLocation=e=>{{let t=this.staticLocations.get(e);if(t)return t}let t=!1,n=(n={})=>{if(n.href){let e=rt(n.href,{});n={...n,to:We(this.rewrite,new URL(e.pathname,this.origin)).pathname,search:this.options.parseSearch(e.search),hash:e.hash.slice(1)}}let r=e._fromLocation||this._pendingLocation||this.latestLocation,i,a=()=>(t=!0,r),c=()=>i??=this.matchRoutesLightweight(a()),l=n.to?`${n.to}`:`.`,u=k(l[0]===`/`?``:n.unsafeRelative===`path`?a().pathname:n.from??c()[1],l,this.options.trailingSlash,this.resolvePathCache),d=this.routesByPath[E(u)],f=u.includes(`$`),p;if(d)p=d._branch??=Ie(d);else if(f)p=[];else{let[e,t,n]=this.getMatchedRoutes(u);p=e,this.options.notFoundRoute&&(!n||n.path!==`/`&&t[`**`])&&(p=[...p,this.options.notFoundRoute])}let m=f?d?._interpolation??De(!1,{fullPath:u},0):void 0,h;for(let e of p){let t=e.options.params?.stringify??e.options.stringifyParams;if(t){let e=c()[3];if(h??=_t(n.params,e),!o(h))break;h===e&&(h=Object.assign(s(),h));try{Object.assign(h,t(h))}catch{}}}h??=_t(n.params,vt(n.params,m)?c()[3]:yt);let g=e.leaveParams?u:Qe(b(m?ee(u,m,h,this.pathParamsDecoder):u)),_=bt(p,e._includeValidateSearch),v=()=>{let t=c()[2];if(e._includeValidateSearch&&this.options.search?.strict){let e={};p.forEach(n=>{if(n.options.validateSearch)try{Object.assign(e,gt(n.options.validateSearch,{...e,...t}))}catch{}}),t=e}return t},y=_.length?xt(_,v(),n):n.search===!0?v():typeof n.search==`function`?n.search(v()):n.search||yt,S=this.options.stringifySearch(y),C=n.hash===!0?a().hash:typeof n.hash==`function`?n.hash(a().hash):n.hash||void 0,w=C?`#${C}`:``,T=n.state?n.state===!0?a().state:typeof n.state==`function`?n.state(a().state):n.state:yt,D=`${g}${S}${w}`,O,A,j=!1;if(this.rewrite){let e=new URL(D,this.origin),t=e.origin,n=Ge(this.rewrite,e);O=ot(e),at(n,t)?(A=n.href,j=!0):A=Qe(ot(n))}else O=x(D),A=O;return{publicHref:A,href:O,pathname:g,search:y,searchStr:S,state:T,hash:C??``,external:j,unmaskOnReload:n.unmaskOnReload}},r=n(e);if(e.mask)r.maskedLocation=n({from:e.from,...e.mask});else if(this.options.routeMasks){let t=Ae(r.pathname,this.processedTree);if(t){let i=Object.assign(s(),t.rawParams),{from:a,params:o,...c}=t.route,l=_t(o,i);r.maskedLocation=n({from:e.from,...c,params:l})}}return!t&&e._fromLocation&&this.staticLocations.set(e,r),r},this.commitLocation=async({viewTransition:e,ignoreBlocker:t,...n})=>{let r=n.maskedLocation??n;if(r.external)return pt(this,r.publicHref,{replace:n.replace,ignoreBlocker:t});let i,a=E(this.latestLocation.href)===E(n.href)&&d(lt(n.state),lt(this.latestLocation.state)),o=this._commitPromise,s,c=new Promise(e=>{s=e});if(c.resolve=()=>{s(),o?.resolve()},this._commitPromise=c,a)this.load();else{let{maskedLocation:r,hashScrollIntoView:a,...o}=n;r&&(o={...r,state:{...r.state,__tempKey:void 0,__tempLocation:{...o,search:o.searchStr,state:{...o.state,__tempKey:void 0,__tempLocation:void 0,__TSR_key:void 0,key:void 0}}}},(o.unmaskOnReload??this.options.unmaskOnReload??!1)&&(o.state.__tempKey=this.tempLocationKey)),o.state={...o.state,__hashScrollIntoViewOptions:a??this.options.defaultHashScrollIntoView??!0},this.shouldViewTransition=e,i=n.replace?`REPLACE`:`PUSH`,this.history[i===`REPLACE`?`replace`:`push`](o.publicHref,o.state,{ignoreBlocker:t}),this.history.subscribers.size||this.load({action:{type:i}})}return this._scroll.n=n.resetScroll??!0,this._commitPromise},this.buildAndCommitLocation=({replace:e,resetScroll:t,hashScrollIntoView:n,viewTransition:r,ignoreBlocker:i,...a}={})=>{let o=this.buildLocation({...a,_includeValidateSearch:!0});this._pendingLocation=o;let s=this.commitLocation({...o,viewTransition:r,replace:e,resetScroll:t,hashScrollIntoView:n,ignoreBlocker:i});return queueMicrotask(()=>{this._pendingLocation===o&&(this._pendingLocation=void 0)}),s},this.navigate=async({to:e,reloadDocument:t,href:n,publicHref:r,...i})=>{let a=n?_(n):void 0;if(a||t){if(e!==void 0||!n){let t=this.buildLocation({to:e,...i}),a=t.maskedLocation??t;n??=a.publicHref,r??=a.publicHref}let t=!a&&r?r:n;return pt(this,t,i)}return this.buildAndCommitLocation({...i,href:n,to:e,_isNavigate:!0})},this.load=async e=>{this.updateLatestLocation(),e?.action&&(this._scroll.h=e.action.type===`PUSH`||e.action.type===`REPLACE`),await an(this,e)},this.startViewTransition=e=>{let t=this.shouldViewTransition??this.options.defaultViewTransition;if(this.shouldViewTransition=void 0,t&&typeof document.startViewTransition==`function`){let n;if(typeof t==`object`&&window.CSS?.supports?.(`selector(:active-view-transition-type(a))`)){let r=this.latestLocation,i=this.stores.resolvedLocation.get(),a=typeof t.types==`function`?t.types(ct(r,i)):t.types;if(a===!1)return e();n={update:e,types:a}}else n=e;return document.startViewTransition(n).updateCallbackDone}return e()},this.invalidate=e=>{let t=this._committed,n=e?.filter,r=this._preloads,i=new Set,a=e=>{(!n||n(e))&&i.add(e.id)};t.forEach(a),this._cache.forEach(a),r?.forEach(e=>e.forEach(a)),this._tx?.[3].forEach(a);let o=[];for(let[e,t]of r??[])t.some(e=>i.has(e.id))&&(r.delete(e),o.push(e));let s=t=>{if(i.has(t.id)){let n=this.routesById[t.routeId],r={...t,invalid:!0,...(e?.forcePending||t.status===`error`||t.status===`notFound`)&&st(n)?{status:`pending`,error:void 0}:void 0};return t._flight=void 0,r}return t};this._committed=t.map(s);for(let[t,n]of this._cache)i.has(t)&&(n.invalid=!0,e?.forcePending&&(n.status=`pending`));for(let e of i){let t=this._flights?.get(e);this._flights?.delete(e),t&&!t[2]&&o.push(t[1])}for(let e of o)e.abort();return this.shouldViewTransition=!1,this.load({sync:e?.sync})},this.resolveRedirect=e=>{let t=e.options,n=e.headers.get(`Location`)||t.href;if(!n){let e=this.buildLocation(t);n=(e.maskedLocation??e).publicHref||`/`}let r;if(v.test(n)||(r=_(n))&&!this.protocolAllowlist.has(r))throw Error(`Redirect blocked: unsafe protocol`);if(r===`http:`||r===`https:`){let e=new URL(n);e.pathname.startsWith(`//`)?n=e.href:at(e,this.origin)||(n=ot(e),r=void 0)}return r&&(t.reloadDocument=!0),t.href=n,e.headers.set(`Location`,n),e},this.clearCache=e=>{let t=this._cache,n=this._preloads,r=e?.filter,i=[],a=[];for(let[e,n]of t)(!r||r(n))&&(a.push(e),i.push(n));let o=[];for(let[e,t]of n??[])(!r||t.some(r))&&(o.push(e),i.push(...t));for(let e of a)t.delete(e);for(let e of o)n.delete(e);for(let e of i){let t=e._flight;e._flight=void 0,t&&!--t[2]&&(this._flights?.get(e.id)===t&&this._flights.delete(e.id),o.push(t[1]))}for(let e of o)e.abort()},this.loadRouteChunk=z,this.preloadRoute=e=>on(this,e),this.matchRoute=(e,t)=>{let n={...e,to:e.to?k(e.from||``,e.to,this.options.trailingSlash,this.resolvePathCache):void 0,params:e.params||{},leaveParams:!0},r=this.buildLocation(n),i=this.stores.status.get()===`pending`;if(t?.pending&&!i)return!1;let a=t?.pending??!i?this.latestLocation:this.stores.resolvedLocation.get()||this.stores.location.get(),o=je(r.pathname,t?.caseSensitive??!1,t?.fuzzy??!1,a.pathname,this.processedTree);return!o||e.params&&!d(o.rawParams,e.params,!0)?!1:t?.includeSearch??!0?d(a.search,r.search,!0)?o.rawParams:!1:o.rawParams},this.getStoreConfig=t,e.pathParamsAllowedCharacters?.length&&(this.pathParamsDecoder=A(e.pathParamsAllowedCharacters)),this.update({defaultPreloadDelay:50,defaultPendingMs:1e3,defaultPendingMinMs:500,context:void 0,...e,caseSensitive:e.caseSensitive??!1,notFoundMode:e.notFoundMode??`fuzzy`,stringifySearch:e.stringifySearch??_e,parseSearch:e.parseSearch??ge,protocolAllowlist:e.protocolAllowlist??g}),self.__TSR_ROUTER__=this}isShell(){return!!this.options.isShell}get state(){return this.stores.__store.get()}setRoutes(e){Object.assign(this,e),this.lightweightCache=new WeakMap,this.staticLocations=new WeakMap;let t=this.options.notFoundRoute;t&&(t.init(99999999999),this.routesById[t.id]!==t&&(t._interpolation=De(!1,t,0)),this.routesById[t.id]=t)}matchRoutesInternal(e,t){let[n,r,i]=this.getMatchedRoutes(e.pathname),a=n,o=!1;(i?i.path!==`/`&&r[`**`]:E(e.pathname))&&(this.options.notFoundRoute?a=[...a,this.options.notFoundRoute]:o=!0);let u=o?St(this.options.notFoundMode,a):void 0,d=Array(a.length),f=this._committed,p=(e,t)=>{let n=f[t];return n?.routeId===e.id?n:e===this.options.notFoundRoute?f.find(t=>t.routeId===e.id):void 0},m;for(let n=0;n<a.length;n++){let i=a[n],o=d[n-1],f,h,g;{let n=o?.search??e.search,r=o?._strictSearch??void 0;try{let e=gt(i.options.validateSearch,{...n})??void 0;f={...n,...e},h={...r,...e}}catch(e){let r=e;if(e instanceof mt||(r=new mt(e.message,{cause:e})),t?.throwOnError)throw r;f=n,h={},g=r}}let _=``,v=``;try{_=i.options.loaderDeps?.({search:f})??``,v=_&&JSON.stringify(_)||``}catch(e){if(t?.throwOnError)throw e;g??=e}let y=s(),b=i._interpolation?ee(i.fullPath,i._interpolation,r,this.pathParamsDecoder,y):i.fullPath,x=i.id+b+v,S=p(i,n),C=this._cache.get(x)??(S?.id===x?S:void 0);m=C?._strictParams??Object.assign(y,m);let w;if(!C)try{Ct(i,m)}catch(e){if(w=N(e)||Se(e)?e:new ht(e.message,{cause:e}),t?.throwOnError)throw w}let T=S?`stay`:`enter`,E;if(C)E={...C,cause:T,search:c(S?S.search:C.search,f),_strictSearch:h,searchError:g};else{let e=st(i)?`pending`:`success`;E={id:x,ssr:i.options.ssr,index:n,routeId:i.id,params:S?.params??m,_strictParams:m,pathname:b,updatedAt:Date.now(),search:S?c(S.search,f):f,_strictSearch:h,searchError:g,status:e,isFetching:!1,error:void 0,paramsError:w,context:{},abortController:t?._controller??new AbortController,cause:T,loaderDeps:S?l(S.loaderDeps,_):_,invalid:!1,preload:!1,staticData:i.options.staticData||{},fullPath:i.fullPath}}let D=u===i.id;E._notFound&&!D&&(E.error=void 0),E._notFound=D,d[n]=E}for(let e=0;e<d.length;e++){let n=d[e];n.params=n.cause===`stay`?c(n.params,m):m,t?._controller&&(n.context={})}return d}matchRoutesLightweight(e){let t=r(this.stores.ids.get()),n=t?this.stores.byRoute.get(t).get():void 0,i=n?.id,a=this.lightweightCache.get(e);if(a&&a[0]===i)return a[1];let[o,s]=this.getMatchedRoutes(e.pathname),c=r(o),l={...e.search};for(let e of o)try{Object.assign(l,gt(e.options.validateSearch,l))}catch{}let u=n&&n.routeId===c.id&&n.pathname===e.pathname,d;if(u)d=n.params;else{let e=s;for(let t of o)try{Ct(t,e)}catch{}d=e}let f=[o,c.fullPath,l,d];return this.lightweightCache.set(e,[i,f]),f}};async function pt(e,t,{replace:n,ignoreBlocker:r}){if(!y(t,e.protocolAllowlist)){if(!r){let t=e.history._getBlockers();for(let r of t)if(r?.blockerFn&&await r.blockerFn({currentLocation:e.history.location,nextLocation:e.history.location,action:n?`REPLACE`:`PUSH`}))return}e.history._ignoreNextBeforeUnload?.(t),n?window.location.replace(t):window.location.href=t}}var mt=class extends Error{},ht=class extends Error{};function gt(e,t){if(e==null)return{};if(`~standard`in e){let n=e[`~standard`].validate(t);if(n instanceof Promise)throw new mt(`Async validation not supported`);if(n.issues)throw new mt(JSON.stringify(n.issues,void 0,2),{cause:n});return n.value}return`parse`in e?e.parse(t):typeof e==`function`?e(t):{}}function _t(e,t){if(e===void 0||e===!0)return t;let n=Object.create(null);return e===!1||e===null?n:typeof e==`function`?(Object.assign(n,t),Object.assign(n,e(n))):Object.assign(n,t,e)}function vt(e,t){return typeof e==`function`?!0:!t||e===!1||e===null?!1:e===void 0||e===!0||t.some(t=>typeof t!=`string`&&!a.call(e,t[1]))}var yt=Object.freeze({});function bt(e,t){let n=[];for(let r=0;r<e.length;r++){let i=e[r].options;`search`in i?i.search?.middlewares&&n.push(...i.search.middlewares):(i.preSearchFilters||i.postSearchFilters)&&n.push(({search:e,next:t})=>{let n=t(i.preSearchFilters?i.preSearchFilters.reduce((e,t)=>t(e),e):e);return i.postSearchFilters?i.postSearchFilters.reduce((e,t)=>t(e),n):n});let a=i.validateSearch;t&&a&&n.push(({search:e,next:t,meta:n})=>{let r=t(e);try{let e=gt(a,r);if(n&&e)for(let t in e)t in r||(n.defaulted||=new Map).set(t,e[t]);return{...r,...e}}catch{}return r})}return n}function xt(e,t,n){let r=(t,a,o)=>{if(t>=e.length){if(!n.search)return{};if(n.search===!0)return a;let e=i(n.search,a);return o&&(o.explicit=e),e}return e[t]({search:a,next:(e,n)=>{if(n){let n=o||{};return{search:r(t+1,e,n),meta:n}}return r(t+1,e,o)},meta:o})};return r(0,t)}function St(e,t){if(e!==`root`){let e;for(let n=t.length-1;n>=0;n--){let r=t[n];if(r.options.notFoundComponent)return r.id;e||=r.children&&r.id}if(e)return e}return be}function Ct(e,t){let n=e.options.params?.parse??e.options.parseParams;n&&Object.assign(t,n(t))}function wt(e,t){return e.options[t]?.preload?.()}function Tt(e,t){let n=wt(e,`component`),r=wt(e,`pendingComponent`);return t&&(r?r=r.then(t):t()),n&&r?Promise.all([n,r]).then(()=>{}):n??r}function z(e,t,n){let r=()=>t===!1?void 0:t?wt(e,t):Tt(e,n),i=e._lazy;if(i)return i===!0?r():i.then(r);if(!e.lazyFn)return r();let a=e.lazyFn().then(t=>{{let{id:n,...r}=t.options;Object.assign(e.options,r),e._lazy=!0}},t=>{throw e._lazy=void 0,t});return e._lazy=a,a.then(r)}function Et(e){let t=e.findIndex(e=>e.status!==`success`||e._notFound)+1;return t&&t<e.length?e.slice(0,t):e}function Dt(e,t,n){let r=e._tx;return t&&r?.[2]===n&&!r[3].some(e=>e.routeId===t)}var B=0,V=1,Ot=2,H=3,U=[4];function kt(e){return typeof e[0]==`number`}function W(e,t){return t.aborted?Promise.race([Promise.reject(t),e]):new Promise((n,r)=>{let i=()=>r(t);t.addEventListener(`abort`,i,{once:!0}),Promise.resolve(e).then(n,r).then(()=>t.removeEventListener(`abort`,i))})}function G(e,t){return e.routesById[t.routeId]}function At(e,t,n){return Se(e)?[H,e]:N(e)?(e.routeId||=n,[Ot,e]):t?(typeof e?.then==`function`&&(e=Error(`A Promise was thrown`,{cause:e})),[V,e]):[B,e]}function jt(e,t){let n=At(t,!0,e.id);if(n[0]!==V)return n;try{e.options.onError?.(n[1])}catch(t){n=At(t,!0,e.id)}return n}function Mt(e,t,n,r,i){return i[0].signal.aborted?U:Gt(e,t,n,jt(n,r),i)}async function Nt(e,t,n,r,i,a){let[o,s]=t,c=n[0].signal,l=!!n[3];for(let i=n[6]??0;i<r;i++){let r=s[i],u=G(e,r);r.abortController=n[0];let d=s[i-1]?.context??e.options.context??{},f={params:r.params,location:o,navigate:t=>e.navigate({...t,_fromLocation:o}),buildLocation:e.buildLocation,cause:l?`preload`:r.cause,abortController:n[0],preload:l,matches:s,routeId:u.id};try{let e=r._ctx||=u.options.context?u.options.context({...f,deps:r.loaderDeps,context:d})||{}:void 0;r.context={...d,...e}}catch(a){return K(e,r),[i,Mt(e,t,u,a,n)]}if(c.aborted)return[i,U];let p=r.paramsError??r.searchError;if(p!==void 0)return K(e,r),[i,Mt(e,t,u,p,n)];let m=u.options.beforeLoad;if(!m)continue;let h=r.status;i>=a&&(r.status=`pending`,n[7]?.());try{It(e,r,`beforeLoad`,n[0]);let a=m({...f,search:r.search,context:r.context,...e.options.additionalContext}),o=await(typeof a?.then==`function`?W(a,c):a);if(c.aborted)return[i,U];let s=Gt(e,t,u,At(o,!1,u.id),n);if(s[0]!==B)return K(e,r),[i,s];r.context={...r.context,...o}}catch(a){return K(e,r),[i,Mt(e,t,u,a,n)]}finally{r.status=h,It(e,r,!1,n[0])}}i()}function Pt(e,t,n){if(!(!n||--n[2])){if(e._flights?.get(t.id)===n){let n=e._tx;if(n&&!n[0].signal.aborted&&!n[3].includes(t)&&n[3].some(e=>e.id===t.id)&&n[3].some(e=>e.isFetching===`beforeLoad`))return;e._flights.delete(t.id)}return n[1]}}function K(e,t){let n=t._flight;t._flight=void 0,Pt(e,t,n)?.abort()}function q(e,t,n,r){let i=[];for(let a of t)if(!n?.includes(a)){let t=a._flight;if(a._flight=void 0,r&&t?.[2]===1&&e._flights?.get(a.id)===t&&n?.some(e=>e.id===a.id))t[2]=0;else{let n=Pt(e,a,t);n&&i.push(n)}}for(let e of i)e.abort()}function Ft(e){for(let t of e){let e=t._flight;e&&e[2]++}}function It(e,t,n,r){if(t.isFetching=n,r&&e._tx?.[0]!==r)return;let i=e.stores.byRoute.get(t.routeId),a=i?.get();a?.id===t.id&&i.set({...a,isFetching:n})}function Lt(e,t,n,r,i,a,o){let s=t[0];return{params:n.params,location:s,navigate:t=>e.navigate({...t,_fromLocation:s}),cause:o?`preload`:n.cause,abortController:i,preload:o,deps:n.loaderDeps,parentMatchPromise:a,context:n.context,route:r,...e.options.additionalContext}}async function Rt(e,t,n,r,i,a,o){let s=o[0],c=s.signal;if(c.aborted)return U;if(!i)return[B,void 0];let l=n._flight;It(e,n,`loader`,s);try{if(!l){let s=new AbortController;l=[Promise.resolve().then(()=>i(Lt(e,t,n,r,s,a,!!o[3]))).then(e=>At(e,!1,r.id),e=>At(e,!0,r.id)).then(t=>(t[0]!==B&&e._flights?.get(n.id)===l&&(e._flights.delete(n.id),l[2]||s.abort()),t[0]===V&&l[2]?jt(r,t[1]):t)),s,1],(e._flights??=new Map).set(n.id,l)}return n._flight=l,n.abortController=l[1],Gt(e,t,r,await W(l[0],c),o)}catch(t){if(t!==c||!c.aborted)throw t;return K(e,n),U}finally{It(e,n,!1,s)}}function zt(e,t,n){t[0]!==H&&(e.status=`success`,e.error=void 0,t[0]===B?(e.loaderData=t[1],e.invalid=!1,e.updatedAt=Date.now(),e.preload=n):e.invalid=!0)}function Bt(e,t,n){let r=e._cache.get(t.id);if(r!==n||e._committed.some(e=>e.id===t.id&&e._flight===t._flight))return;let i={...t,_notFound:void 0,context:{}};i._flight&&i._flight[2]++,e._cache.set(t.id,i),r&&K(e,r)}function Vt(e,t){return t[0]===V||t[0]===Ot?{...e,status:t[0]===V?`error`:`notFound`,error:t[1],_flight:void 0}:e}function Ht(e,t,n,r,i,a,o){let s=t[1][n],c=G(e,s),l=!!a[3],u=e._cache.get(s.id),d,f=!1,p;try{if(s.status===`success`&&(d=c.options.shouldReload,typeof d==`function`&&(d=d(Lt(e,t,s,c,a[0],i,l))),a[0].signal.aborted&&(p=U)),!p){if(s.status!==`success`)f=!0;else{let t=l||s.preload?c.options.preloadStaleTime??e.options.defaultPreloadStaleTime??3e4:c.options.staleTime??e.options.defaultStaleTime??0;f=!!(s.invalid||d||d===void 0&&Date.now()-s.updatedAt>=t&&(a[5]||s.cause===`enter`||a[2].some(e=>e.routeId===s.routeId&&e.id!==s.id)))}}}catch(n){s.invalid=!0,K(e,s),p=Mt(e,t,c,n,a)}let m=c.options.loader,h=typeof m==`function`,g=h?m:m?.handler,_=!l||c.options.preload!==!1,v=_&&m?e._flights?.get(s.id):void 0;v===s._flight||p?v=void 0:v&&!f&&!l&&d===void 0?f=!0:f||(v=void 0);let y=!(!m||!f||s.status!==`success`||l||a[4]||((h?void 0:m.staleReloadMode)??e.options.defaultStaleReloadMode)===`blocking`),b=f&&_,x=b&&!y&&(s.status!==`success`||!!m),S=n>=o?a[7]:void 0,C=c.lazyFn&&c._lazy!==!0?S:void 0;if(b&&!m&&(s.invalid=!1,s.updatedAt=Date.now()),v&&v[2]++,x){let t=s._flight;s._flight=v,Pt(e,s,t)?.abort(),n>=o&&(s.status=`pending`),S?.()}b||(s.isFetching=!1);let w=!p&&x?Rt(e,t,s,c,g,i,a).then(t=>(zt(s,t,l),t[0]===B&&(m&&!a[0].signal.aborted&&Bt(e,s,u),n>=o&&(s.status=`pending`)),t)):Promise.resolve(p??[B,s.loaderData]),T=(async()=>{try{let e=z(c,void 0,C);e&&await W(e,a[0].signal)}catch(r){if(!t[1].some((e,t)=>t<=n&&(e.status===`error`||e.status===`notFound`||e._notFound)))return[n,Mt(e,t,c,r,a)]}let r=await w;x&&r[0]===B&&s.status===`pending`&&!a[0].signal.aborted&&(s.status=`success`,S?.())})();if(r.push([n,w,T]),!y)return w.then(e=>Vt(s,e));let E={...s,status:`pending`,preload:!1,_flight:v};s.invalid=!1,s.isFetching=`loader`;let D=Rt(e,t,E,c,g,i,a).then(e=>(s.isFetching=!1,zt(E,e,!1),e));return(t[2]??=[]).push([n,D,T,E]),D.then(e=>Vt(E,e))}async function Ut(e,t,n,r,i=0){let a=n?.[1][1],o=a?.routeId?t.findIndex(e=>e.routeId===a.routeId):n?.[0]??t.length-1;o<0&&(o=0);for(let n=o;n>=0;n--){let i=G(e,t[n]);try{let e=z(i,!1);e&&await W(e,r)}catch(e){if(e===r&&r.aborted)throw e}if(i.options.notFoundComponent)return n}return a?.routeId?o:i}function J(e,t){t[2]&&=(q(e,t[2].map(e=>e[3])),void 0)}async function Wt(e,t,n,r){let i;try{await Promise.all(e.map(e=>e[1].then(async t=>{let a=e[0];if(!(r&&a>=await r)){if(t[0]>=H)throw[a,t];!i&&t[0]!==B&&(i=[a,t],await Promise.all((n??[]).map(e=>{if(!(e[0]<=a))return e[1].then(t=>{if(t[0]===H)throw[e[0],t]})})))}})))}catch(e){return e}return t??i}function Gt(e,t,n,r,i,a){for(;r[0]===H;){let o=r[1],s=o.options;try{if((s.href||o.headers.has(`Location`))&&(e.resolveRedirect(o),s.reloadDocument)||(s.reloadDocument?i[3]:i[1]>=20))return r;let n=e.buildLocation({...s,_fromLocation:t[0],_includeValidateSearch:!0}),a=n.maskedLocation??n;if(a.external){let t=o.clone();return t.options={...s},t.headers.set(`Location`,a.publicHref),e.resolveRedirect(t),i[3]?[H,t]:[H,t,a]}return[H,o,n]}catch(e){r=a?[V,e]:jt(n,e),a=!0}}return r}async function Kt(e,t,n,r,i,a){let o=t[1],s=await i,c=!1,l=o.findIndex(e=>e._notFound),u=t=>t[1][0]===Ot?Ut(e,o,t,r.signal):t[0],d=l<0?o.length:l;if((s?.[1][0]??0)>=H)d=0;else if(s){d=s[2]??=await u(s);for(let e of n){if(e[0]>=d)break;let t=await e[1];if(t[0]!==B&&t[0]<H&&!(`loaderData`in o[e[0]])){s=[e[0],t],d=s[2]=await u(s);break}}}for(let e of n){if(e[0]>=d)break;let t=await e[2];if(t){s=t;break}}if((s?.[1][0]??0)>=H){let n=s[1];if(n[0]!==H||n[1].options.reloadDocument||n[2])return J(e,t),n;c=!0,s=[0,[V,Error(`Too many redirects`)]]}let f=s?s[2]??await u(s):l;if(f>=0){let i=s?.[1],l=i?.[0],u=o[f],d=i?.[1],p=()=>{i&&(u._notFound=void 0,l===V?u.status=`error`:(d.routeId=u.routeId,u.routeId===e.routeTree.id?(u.status=`success`,u._notFound=!0):u.status=`notFound`),u.error=d,u.isFetching=!1)};p(),i||a?.();let m=G(e,u);try{await W(i?Promise.resolve().then(()=>z(m,l===V?`errorComponent`:`notFoundComponent`)):Promise.all([z(m),z(m,`notFoundComponent`)]),r.signal)}catch(n){if(n===r.signal&&r.signal.aborted)return J(e,t),U}i?c&&(r.abort(),await Promise.all([...n.map(e=>e[1]),...n.map(e=>e[2]),...(t[2]??[]).map(e=>e[1])]),J(e,t),q(e,o),p()):u.status=`success`}return t}async function qt(e,t,n,r=0,i=t[1].length){let a=t[1];for(let t=r;t<i;t++){let r=a[t],i=G(e,r).options;if(i.head||i.scripts)try{let t={ssr:e.options.ssr,matches:a,match:r,params:r.params,loaderData:r.loaderData},[o,s]=await W(Promise.all([i.head?.(t),i.scripts?.(t)]),n);r.meta=o?.meta,r.links=o?.links,r.headScripts=o?.scripts,r.styles=o?.styles,r.scripts=s}catch(e){if(e===n&&n.aborted)break;console.error(e)}if(r.status!==`success`||r._notFound)break}return t}async function Jt(e,t,n,r){let i=[t,n],a=r[0].signal,o;try{let t=e.stores.matches.get(),s=n.findIndex(e=>e._notFound);if(e.options.notFoundMode!==`root`&&s>=0){let t=await Ut(e,n,void 0,a,s);n[s]._notFound=void 0,n[t]._notFound=!0,s=t}let c=s<0?n.length:s+1,l=0;for(;l<c&&l!==s;){let e=n[l],i=r[2][l],a=t[l];if(i?.id!==e.id||i.status!==`success`||e.preload||a?.id!==e.id||a.status!==`success`||(l++,i._notFound||a._notFound))break}let u=[],d=r[6]??0,f=d?Promise.resolve(n[d-1]):void 0,p=()=>{for(let t=d;t<c&&!a.aborted;t++)f=Ht(e,i,t,u,f,r,l)},m=await Nt(e,i,r,c,p,l);if(m){if(r[4]=!0,c=m[0],m[1][0]===Ot){let t=await Ut(e,n,m,a);m[2]=t,c=Math.min(c,t+1)}else m[1][0]>=H&&(c=0);p()}if(!a.aborted&&!r[3]){let t=[];for(let[n,r]of e._flights??[])r[2]||(e._flights.delete(n),t.push(r[1]));for(let e of t)e.abort()}let h=Kt(e,i,u,r[0],Wt(u,m,i[2]),r[7]);i[2]?.length&&(i[3]=Wt(i[2],void 0,void 0,h.then(e=>kt(e)?0:Et(n).length,()=>0))),o=await h}catch(t){if(J(e,i),t===a&&a.aborted)return U;throw t}return kt(o)?o:qt(e,o,a,r[6]===n.length?r[6]:0)}function Yt(e,t){if(e._tx!==t)return;let n=t[3],r=e.stores.matches.get(),i=e._pending;for(let a=0;a<n.length;a++){let o=n[a],s=o.status===`success`&&!o._notFound,c=r[a]?.id===o.id&&r[a]?.status===`pending`;if(s&&!c)continue;let l=G(e,o),u=s||o.invalid?0:l.options.pendingMs??e.options.defaultPendingMs,d=l.options.pendingComponent??e.options.defaultPendingComponent;if(!d||typeof u!=`number`||u===1/0){i&&(i[0]=t,i[2]=0,i[4]=!0);return}let f=l.options.pendingMinMs??e.options.defaultPendingMinMs??0,p=!1;if(i?.[1]===o.id?(p=i[0]!==t,i[0]=t):(clearTimeout(i?.[3]),e._pending=i=void 0),i||(e._pending=i=[t,o.id,c?Date.now()+f:t[4]+u,void 0,c||void 0,d]),i[4]&&!p&&i[5]===d)return;if(i[5]=d,!i[4]){clearTimeout(i[3]);let n=i[2]-Date.now();if(n>0){i[3]=setTimeout(()=>Yt(e,t),n);return}i[2]=0}let m=n.map(e=>({...e,_flight:void 0}));m[a].status=`pending`;let h=i[4]=e.startTransition(()=>e.stores.setMatches(m),m).then(t=>(t&&e._pending===i&&i[4]===h&&!i[2]&&(i[2]=Date.now()+f),t));return}}function Xt(e,t){let n=e._pending;e._tx!==t&&e._tx?.[3].some(e=>e.id===n?.[1])||(clearTimeout(n?.[3]),e._pending=void 0)}async function Zt(e,t){let n=e._pending;if(!n)return;clearTimeout(n[3]);let r=n[2]-Date.now();if(!n[4]||r<=0||!Et(t[3]).some(e=>e.id===n[1]))return;let i;try{await W(new Promise(e=>{i=setTimeout(e,r)}),t[0].signal)}catch{}clearTimeout(i)}function Qt(e,t){e._committed=t,e.stores.setMatches(t)}function $t(e,t,n,r){let i=e._committed,a=e._lifecycleEnd,o=e._cache;for(let e of n)e.preload=!1,r&&(e._assetEnd=void 0);let s=Et(n).length,c=new Map;{let t=Date.now(),r=new Set;for(let e=0;e<n.length;e++){let t=n[e];(e<s||t.status===`success`)&&r.add(t.id)}for(let n of[...i,...o.values()]){if(n.status!==`success`||r.has(n.id))continue;let i=G(e,n);!i.options.loader||t-n.updatedAt>=(n.preload?i.options.preloadGcTime??e.options.defaultPreloadGcTime??3e5:i.options.gcTime??e.options.defaultGcTime??3e5)||c.set(n.id,o.get(n.id)===n?n:{...n,_flight:void 0,isFetching:!1,context:{}})}}t[3]=[],e._cache=c;let l=e._lifecycleEnd=ut(n);Qt(e,n),q(e,[...o.values(),...i].filter(e=>e._flight&&c.get(e.id)!==e),n),dt(e,i,n,a,l,t)}async function en(e,t){let n=e._tx;for(;n&&n!==t;)t=n,await n[5],n=e._tx}function tn(e,t,n){let r=n[1].options,i=n[2];if(!i)return e.navigate({...r,replace:!0,ignoreBlocker:!0});if(r.reloadDocument)return e.navigate({href:(i.maskedLocation??i).publicHref,reloadDocument:!0,replace:!0,ignoreBlocker:!0});i._redirects=t[1]+1,e._pendingLocation=i;let a=e.commitLocation({...i,viewTransition:r.viewTransition,replace:!0,resetScroll:r.resetScroll,hashScrollIntoView:r.hashScrollIntoView,ignoreBlocker:!0});return queueMicrotask(()=>{e._pendingLocation===i&&(e._pendingLocation=void 0)}),a}async function nn(e,t,n,r,i){let a=n.map(e=>({...e}));Ft(a);for(let t of r)K(e,a[t[0]]),a[t[0]]=t[3];let o=[t[2],a],s;try{s=await Kt(e,o,r,t[0],i)}catch(t){throw q(e,a),t}if(kt(s))q(e,a),s[0]===H&&e._tx===t&&e._committed===n&&await tn(e,t,s);else if(await qt(e,s,t[0].signal),e._tx!==t||e._committed!==n)q(e,a);else{for(let t of a){let n=e._cache.get(t.id);n?._flight&&n._flight===t._flight&&(e._cache.delete(t.id),K(e,n))}Qt(e,a),q(e,n,a)}}async function rn(e,t,n,r,i,a){let o=await Jt(e,t[2],t[3],[t[0],t[1],e._committed,void 0,i,n,a,r]);if(kt(o)){let n=o[0]===H&&e._tx===t;if((!n||o[1].options.reloadDocument)&&Xt(e,t),q(e,t[3]),t[3]=[],!n)return;if(e._tx!==t){Xt(e,t);return}await tn(e,t,o);return}let s=o[1];if(e._tx===t&&await Zt(e,t),e._tx!==t){Xt(e,t),q(e,s),J(e,o);return}let c=t[2],l=ct(c,e.stores.resolvedLocation.get()),u=o[2];await e.startViewTransition(async()=>{if(e._tx===t&&await Zt(e,t),e._tx!==t){Xt(e,t),q(e,s),J(e,o);return}let n=await e.startTransition(()=>{Xt(e,t),$t(e,t,s,a),e._tx===t&&(e.emit({type:`onLoad`,...l}),e._tx===t&&e.emit({type:`onBeforeRouteMount`,...l}))},s);e._tx===t?(u?.length&&nn(e,t,s,u,o[3]).catch(console.error),e.batch(()=>{e.stores.resolvedLocation.set(c),e.stores.status.set(`idle`),e._tx===t&&e.emit({type:`onResolved`,...l}),n&&e._tx===t&&e.emit({type:`onRendered`,...l})}),e._tx===t&&(e._commitPromise?.resolve(),e._commitPromise=void 0)):J(e,o)})}async function an(e,t){let n=e._tx,r=e.stores.resolvedLocation.get(),i=r??e.stores.location.get(),a=e.latestLocation,o=e._pendingLocation,s=o?.href===a.href?o._redirects??0:0,c=e._handoff,l=c?.[0](),u=new AbortController,d=e._preflight;if(e._preflight=u,l||c?.[1](),d?.abort(),!u.signal.aborted){let t=ct(a,r);e.emit({type:`onBeforeNavigate`,...t}),u.signal.aborted||e.emit({type:`onBeforeLoad`,...t})}if(u.signal.aborted){await en(e,n);return}let f=i.href===a.href,p=u,m=e.matchRoutes(a,{_controller:u});Ft(m);let h=l?c[1](m):void 0;if(h?p=l:l?.abort(),u.signal.aborted){q(e,m),await en(e,n);return}e._preflight=void 0;let g,_=()=>rn(e,y,f,()=>Yt(e,y),t?.sync,h),v=t?.sync?new Promise(e=>g=e):Promise.resolve().then(_),y=[p,s,a,m,Date.now(),v.then(()=>en(e,y))];if(e._tx=y,n){for(let t of e.stores.matches.get()){if(e._tx!==y)break;t.isFetching&&It(e,t,!1)}n[0].abort(),q(e,n[3],y[3],!0)}e._tx===y?(e.batch(()=>{e.stores.status.set(`pending`),e.stores.location.set(a)}),(h||!e._committed.length&&m[0]?.status!==`success`&&!m.some(e=>e._notFound))&&Yt(e,y),g?.(_()),await y[5]):(q(e,y[3]),y[3]=[],g?.(),await en(e,y))}async function on(e,t){let n=e.buildLocation(t);for(let t=0;;t++){let r=e._committed,i=new AbortController,a,o,s;try{try{a=e.matchRoutes(n,{_controller:i}),Ft(a),o=(e._preloads??=new Map).set(i,a),s=await Jt(e,n,a,[i,t,r,!0])}finally{o&&(o=o.delete(i),q(e,a)),i.abort()}if(!kt(s))return s[1];if(!o||s.length<3)return;n=s[2]}catch(e){N(e)||console.error(e);return}}}var sn=`Error preloading route! ☝️`,Y=e(t(),1),cn=Y.createContext(null);function ln(e){return Y.useContext(cn)}function un(e,t){let n=e.stores.location,r=new Set,i,a,o=n=>{Dt(e,t,n)||(i=n,r.forEach(e=>e()))};return[()=>i??n.get(),e=>(r.size||(i=n.get(),a=n.subscribe(o).unsubscribe),r.add(e),()=>{r.delete(e),r.size||(a(),i=void 0)})]}var dn=Y.createContext(void 0),fn=Y.createContext(void 0),pn=n();function mn(...e){let t=Y.useRef(e),n=t.current;return e.forEach((e,t)=>{d(n[t],e,!1,!0)||(n[t]=e)}),t.current}function hn(e,t){e.preloadRoute(t).catch(e=>{console.warn(e),console.warn(sn)})}function gn(e,t){let n=typeof e==`string`&&_(e);if(n)return t.has(n)?e:null}function _n(e,t,n,r){let i=O(e.pathname,r),a=O(t.pathname,r);return(n?.exact?i!==a:!i.startsWith(a)||i.length!==a.length&&i[a.length]!==`/`)||(n?.includeSearch??!0)&&!d(e.search,t.search,!n?.exact,n?.explicitUndefined)?!1:!n?.includeHash||e.hash===t.hash}function vn(e,t,n){let r=ln(),i=Y.useRef(null),a=Y.useCallback(e=>{if(i.current=e,typeof t==`function`)return t(e);t&&(t.current=e)},[t]),{activeOptions:o,to:s,preload:c,preloadDelay:l,disabled:u,target:d,onClick:f,onBlur:p,onFocus:m,onMouseEnter:h,onMouseLeave:g,onTouchStart:v}=e,[y,b,x]=mn(e.search,e.params,o),S=Y.useContext(dn),C=(r.stores._linkScopes??={})[S]??=un(r,S),[w,T,E]=Y.useMemo(()=>{let t=gn(s,r.protocolAllowlist);if(t!==void 0){let n=[t??void 0];return[e,()=>n]}let n={...e},i,a,o,c=()=>{let e=C[0]();if(e!==i){n._fromLocation=e;let t=r.buildLocation(n),o=Tn(t,r,u),s=u||o&&!_(o)?_n(e,t,x,r.basepath):void 0;a&&a[0]===o&&a[1]===s||(a=[o,s]),i=e}return a};return[n,c,x?.includeHash&&(()=>{let e=c();return e[1]?o??=[e[0],!1]:e})]},[r,C,e.from,e.hash,e.href,s,y,b,e.state,e.mask,e.unsafeRelative,x,u]),[D,O]=Y.useSyncExternalStore(C[1],T,E||T),k=O===void 0&&D,A=u||D===void 0,j=Y.useRef(!1),M=e.reloadDocument||k||A?!1:c??r.options.defaultPreload,ee=l??r.options.defaultPreloadDelay??0,N=Y.useCallback(e=>{let t=e?.isIntersecting;t??M===`intent`?ee?i.t??=setTimeout(()=>{i.t=void 0,hn(r,w)},ee):hn(r,w):t===!1&&wn(i)},[r,w,i,M,ee]);Y.useEffect(()=>{if(!M)return;M===`render`&&!j.current&&(j.current=!0,hn(r,w));let e=!0,t;return M===`viewport`&&i.current&&typeof IntersectionObserver==`function`&&(t=new IntersectionObserver(t=>{e&&N(t.pop())},{rootMargin:`100px`}),t.observe(i.current)),()=>{e=!1,t?.disconnect(),wn(i)}},[r,w,M,N,i]);let P=Sn(e,n);if(P.ref=t?a:i,k)return P.href=k,P;let te=t=>{let n=d??t.currentTarget.getAttribute(`target`);A||t.metaKey||t.altKey||t.ctrlKey||t.shiftKey||t.defaultPrevented||n&&n!==`_self`||t.button!==0||(t.preventDefault(),wn(i),r.navigate({...e,_fromLocation:w._fromLocation}))},ne=()=>{M===`intent`&&hn(r,w)},re=()=>{M===`intent`&&wn(i)};return P.onClick=X(f,te),P.onBlur=X(p,re),P.onFocus=X(m,N),P.onMouseEnter=X(h,N),P.onMouseLeave=X(g,re),P.onTouchStart=X(v,ne),Cn(P,e,O,D,A,n)}var yn={},bn={className:`active`},xn=new Set([`to`,`params`,`search`,`hash`,`state`,`mask`,`from`,`unsafeRelative`,`reloadDocument`,`preload`,`preloadDelay`,`preloadIntentProximity`,`hashScrollIntoView`,`replace`,`startTransition`,`resetScroll`,`viewTransition`,`ignoreBlocker`,`activeProps`,`inactiveProps`,`activeOptions`,`_asChild`]);function Sn(e,t){let n={};for(let r in e)xn.has(r)||r===`type`&&t!==void 0||r===`disabled`&&t===`a`||(n[r]=e[r]);return n}function Cn(e,t,n,r,a,o){let{activeProps:s,inactiveProps:c,className:l,style:u,target:d}=t,f=i(n?s:c,{})??(n?bn:yn);Object.assign(e,f),e.href=r,o!==`a`&&(e.disabled=a),e.target=d;let p=f.style;(u||p)&&(e.style=u&&p?{...u,...p}:u||p);let m=f.className;return(l||m)&&(e.className=l?m?`${l} ${m}`:l:m),a&&(e.role=`link`,e[`aria-disabled`]=!0),n&&(e[`data-status`]=`active`,e[`aria-current`]=`page`),e}var wn=e=>{clearTimeout(e.t),e.t=void 0},X=(e,t)=>e?n=>n.defaultPrevented||(e(n),n.defaultPrevented||t(n)):t;function Tn(e,t,n){if(n)return;let r=e.maskedLocation??e,i=r.external?r.publicHref:t.history.createHref(r.publicHref)||`/`;if(!r.external&&i===r.publicHref||!y(i,t.protocolAllowlist))return i}function En(e){return Y.forwardRef(function(t,n){return(0,pn.jsx)(Dn,{...t,_asChild:e,ref:n})})}var Dn=Y.memo(Y.forwardRef((e,t)=>{let n=e._asChild||`a`,r=vn(e,t,n),i=typeof e.children==`function`?e.children({isActive:r[`data-status`]===`active`}):e.children;return Y.createElement(n,r,i)}),On);function On(e,t){let n=0;for(let r in t)if(n++,e[r]!==t[r]&&(!xn.has(r)||!d(e[r],t[r],!1,!0)))return!1;for(let t in e)n--;return n===0}var kn=class extends Error{status;code;extensions;retryAfter;name=`GatewayError`;constructor(e,t,n,r,i=null){super(e),this.status=t,this.code=n,this.extensions=r,this.retryAfter=i}get fields(){let{campos:e}=this.extensions;return Array.isArray(e)?Object.fromEntries(e.filter(jn).map(({campo:e,mensagem:t})=>[Mn(e),t])):{}}text(e){let t=this.extensions[e];return typeof t==`string`?t:null}},An=class extends Error{name=`Unreachable`};function jn(e){return Z(e)&&typeof e.campo==`string`&&typeof e.mensagem==`string`}function Z(e){return typeof e==`object`&&!!e&&!Array.isArray(e)}function Mn(e){return e.replace(/_([a-z])/g,(e,t)=>t.toUpperCase())}var Nn=`logout`,Pn=null,Q=null,Fn=null,In=async()=>!1,Ln=[],Rn=new Set,zn=`BroadcastChannel`in globalThis?new BroadcastChannel(`painel`):null;zn?.addEventListener(`message`,({data:e})=>{e===Nn&&Qn()});var Bn=class extends Error{name=`SessionClosed`},Vn=()=>Pn,Hn=()=>Q?.storeId??null,Un=()=>Q;function Wn(e){return Rn.add(e),()=>Rn.delete(e)}function Gn(e){let t=Q?.userId===e.user.id;Pn=e.accessToken,er({userId:e.user.id,environment:e.environment,storeId:t?Q?.storeId??null:null,locked:!1}),$n(e=>e.resolve())}function Kn(e){Q&&er({...Q,storeId:e})}function qn(e){In=e}function Jn(){return Fn??=In().finally(()=>{Fn=null}),Fn}async function Yn(){if(!Q)throw new Bn;if(!await Jn()){if(!Q)throw new Bn;Q.locked||er({...Q,locked:!0}),await new Promise((e,t)=>{Ln.push({resolve:e,reject:t})})}}function Xn(){zn?.postMessage(Nn),Qn()}function Zn(e){let t=e.split(`.`)[1]??``,{exp:n}=JSON.parse(atob(t.replace(/-/g,`+`).replace(/_/g,`/`)));return n*1e3}function Qn(){Pn=null,er(null),$n(e=>e.reject(new Bn))}function $n(e){let t=Ln;Ln=[],t.forEach(e)}function er(e){Q=e;for(let e of Rn)e()}async function tr(e,t,n={}){let{data:r,errors:i}=await nr(e,t,n),[a]=Object.values(i);if(a)throw a;return r}async function nr(e,t,n={}){let r=await rr(e,t,n);return!Object.values(r.errors).some(e=>e?.status===401)||n.public||n.keepLocked?r:(await Yn(),rr(e,t,n))}async function rr(e,t,n){let r=await ir(JSON.stringify({query:e.toString(),variables:t}),n),i=await r.json().catch(()=>null),a=Z(i)&&Array.isArray(i.errors)?i.errors:[],o=Z(i)&&Z(i.data)?i.data:null;if(o===null&&a.length===0)throw new An;let s={};for(let e of a)s[ar(e)]??=or(e,r);return{data:o??{},errors:s}}async function ir(e,t){let n={"Content-Type":`application/json`,"x-panel":`1`},r=Vn();if(r&&!t.public){n.Authorization=`Bearer ${r}`;let e=Hn();e&&(n[`x-store`]=e)}t.idempotencyKey&&(n[`Idempotency-Key`]=t.idempotencyKey);try{return await fetch(`/graphql`,{method:`POST`,headers:n,body:e,signal:t.signal??null})}catch(e){throw t.signal?.aborted?e:new An}}function ar(e){let[t]=Z(e)&&Array.isArray(e.path)?e.path:[];return typeof t==`string`?t:``}function or(e,t){let n=Z(e)?e:{},r=Z(n.extensions)?n.extensions:{};return new kn(typeof n.message==`string`?n.message:``,typeof r.status==`number`?r.status:t.status,typeof r.codigo==`string`?r.codigo:null,r,Number(t.headers.get(`Retry-After`))||null)}var $=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}},sr={"\n  mutation RequestWithdrawal($input: RequestWithdrawalInput!) { requestWithdrawal(input: $input) { id } }\n":new $(`
    mutation RequestWithdrawal($input: RequestWithdrawalInput!) {
  requestWithdrawal(input: $input) {
    id
  }
}
    `),"\n  query ReceivedRepayments($first: Int, $after: String, $filter: ReceivedRepaymentFilter) {\n    receivedRepayments(first: $first, after: $after, filter: $filter) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id status netAmount chargesCount paidFrom paidTo } }\n    }\n  }\n":new $(`
    query ReceivedRepayments($first: Int, $after: String, $filter: ReceivedRepaymentFilter) {
  receivedRepayments(first: $first, after: $after, filter: $filter) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        status
        netAmount
        chargesCount
        paidFrom
        paidTo
      }
    }
  }
}
    `),"\n  query Withdrawals($first: Int, $after: String, $filter: WithdrawalFilter, $order: WithdrawalOrder!) {\n    withdrawals(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id status amount pixKey pixKeyType createdAt } }\n    }\n  }\n":new $(`
    query Withdrawals($first: Int, $after: String, $filter: WithdrawalFilter, $order: WithdrawalOrder!) {
  withdrawals(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        status
        amount
        pixKey
        pixKeyType
        createdAt
      }
    }
  }
}
    `),"\n  query BalanceSummary {\n    withdrawalSummary {\n      grossAmount feeAmount netAmount withdrawnAmount pendingAmount availableAmount chargesCount withdrawalsCount modo\n    }\n  }\n":new $(`
    query BalanceSummary {
  withdrawalSummary {
    grossAmount
    feeAmount
    netAmount
    withdrawnAmount
    pendingAmount
    availableAmount
    chargesCount
    withdrawalsCount
    modo
  }
}
    `),"\n  query RecentMoneyOut {\n    withdrawals(first: 5) { edges { node { id status amount netAmount pixKey pixKeyType createdAt } } }\n    receivedRepayments(first: 5) {\n      edges { node { id status netAmount chargesCount paidFrom paidTo createdAt } }\n    }\n  }\n":new $(`
    query RecentMoneyOut {
  withdrawals(first: 5) {
    edges {
      node {
        id
        status
        amount
        netAmount
        pixKey
        pixKeyType
        createdAt
      }
    }
  }
  receivedRepayments(first: 5) {
    edges {
      node {
        id
        status
        netAmount
        chargesCount
        paidFrom
        paidTo
        createdAt
      }
    }
  }
}
    `),"\n  query Withdrawal($id: ID!) {\n    withdrawal(id: $id) {\n      id status amount feeAmount netAmount pixKey pixKeyType description externalReference rejectReason endToEndId\n      createdAt completedAt rejectedAt\n    }\n  }\n":new $(`
    query Withdrawal($id: ID!) {
  withdrawal(id: $id) {
    id
    status
    amount
    feeAmount
    netAmount
    pixKey
    pixKeyType
    description
    externalReference
    rejectReason
    endToEndId
    createdAt
    completedAt
    rejectedAt
  }
}
    `),"\n  query ReceivedRepayment($id: ID!) {\n    receivedRepayment(id: $id) {\n      id status paidFrom paidTo grossAmount feeAmount deductedAmount netAmount chargesCount deductedCount endToEndId\n      createdAt concludedAt\n    }\n  }\n":new $(`
    query ReceivedRepayment($id: ID!) {
  receivedRepayment(id: $id) {
    id
    status
    paidFrom
    paidTo
    grossAmount
    feeAmount
    deductedAmount
    netAmount
    chargesCount
    deductedCount
    endToEndId
    createdAt
    concludedAt
  }
}
    `),"\n  mutation SimulatePayment($id: ID!) { simulatePayment(id: $id) { id } }\n":new $(`
    mutation SimulatePayment($id: ID!) {
  simulatePayment(id: $id) {
    id
  }
}
    `),"\n  mutation ExpireCharge($id: ID!) { expireCharge(id: $id) { id } }\n":new $(`
    mutation ExpireCharge($id: ID!) {
  expireCharge(id: $id) {
    id
  }
}
    `),"\n  query ChargesOf($filter: ChargeFilter!) {\n    charges(first: 5, filter: $filter, order: created_at_desc) {\n      totalCount\n      totalCapped\n      edges { node { id status underReview amount description customerName createdAt } }\n    }\n  }\n":new $(`
    query ChargesOf($filter: ChargeFilter!) {
  charges(first: 5, filter: $filter, order: created_at_desc) {
    totalCount
    totalCapped
    edges {
      node {
        id
        status
        underReview
        amount
        description
        customerName
        createdAt
      }
    }
  }
}
    `),"\n  query Charges($first: Int, $after: String, $filter: ChargeFilter, $order: ChargeOrder!) {\n    charges(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id status underReview amount description customerName createdAt } }\n    }\n  }\n":new $(`
    query Charges($first: Int, $after: String, $filter: ChargeFilter, $order: ChargeOrder!) {
  charges(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        status
        underReview
        amount
        description
        customerName
        createdAt
      }
    }
  }
}
    `),"\n  mutation IssueCharge($input: IssueChargeInput!) { issueCharge(input: $input) { id } }\n":new $(`
    mutation IssueCharge($input: IssueChargeInput!) {
  issueCharge(input: $input) {
    id
  }
}
    `),"\n  mutation SendCharge($id: ID!, $email: String) { sendCharge(id: $id, email: $email) { id } }\n":new $(`
    mutation SendCharge($id: ID!, $email: String) {
  sendCharge(id: $id, email: $email) {
    id
  }
}
    `),"\n  query Charge($id: ID!) {\n    charge(id: $id) {\n      id txid status underReview environment description amount originalAmount discountAmount feeAmount netAmount\n      customerName customerEmail customerCpf customerPhone couponCode productId externalReference linkReference metadata\n      successUrl cancelUrl expiresAt pixCode endToEndId paidAt paidLate createdAt checkoutUrl receiptUrl qrCodeUrl\n      customer { id name }\n      product { id name price }\n      subscription { id description }\n      paymentLink { id title }\n    }\n  }\n":new $(`
    query Charge($id: ID!) {
  charge(id: $id) {
    id
    txid
    status
    underReview
    environment
    description
    amount
    originalAmount
    discountAmount
    feeAmount
    netAmount
    customerName
    customerEmail
    customerCpf
    customerPhone
    couponCode
    productId
    externalReference
    linkReference
    metadata
    successUrl
    cancelUrl
    expiresAt
    pixCode
    endToEndId
    paidAt
    paidLate
    createdAt
    checkoutUrl
    receiptUrl
    qrCodeUrl
    customer {
      id
      name
    }
    product {
      id
      name
      price
    }
    subscription {
      id
      description
    }
    paymentLink {
      id
      title
    }
  }
}
    `),'\n  query ChargeTimeline($id: ID!, $resourceId: String!) {\n    auditRecords(first: 50, filter: { resourceType: "charge", resourceId: $resourceId }, order: created_at_asc) {\n      edges { node { id action actorName createdAt } }\n    }\n    events(first: 50, filter: { resourceId: $id }, order: created_at_asc) {\n      edges { node { id type createdAt deliveries { id endpointId status finishedAt attempts { status durationMs } } } }\n    }\n  }\n':new $(`
    query ChargeTimeline($id: ID!, $resourceId: String!) {
  auditRecords(
    first: 50
    filter: {resourceType: "charge", resourceId: $resourceId}
    order: created_at_asc
  ) {
    edges {
      node {
        id
        action
        actorName
        createdAt
      }
    }
  }
  events(first: 50, filter: {resourceId: $id}, order: created_at_asc) {
    edges {
      node {
        id
        type
        createdAt
        deliveries {
          id
          endpointId
          status
          finishedAt
          attempts {
            status
            durationMs
          }
        }
      }
    }
  }
}
    `),"\n  mutation AdvanceTestClock($to: DateTime!) { advanceTestClock(to: $to) { status } }\n":new $(`
    mutation AdvanceTestClock($to: DateTime!) {
  advanceTestClock(to: $to) {
    status
  }
}
    `),"\n  query TestClock { testClock { now offsetSeconds status advancingTo } }\n":new $(`
    query TestClock {
  testClock {
    now
    offsetSeconds
    status
    advancingTo
  }
}
    `),"\n  query EventsOfAdvance($from: DateTime!, $to: DateTime!) {\n    events(first: 50, filter: { createdFrom: $from, createdTo: $to }, order: created_at_asc) {\n      pageInfo { hasNextPage }\n      edges { node { id type resourceId createdAt } }\n    }\n  }\n":new $(`
    query EventsOfAdvance($from: DateTime!, $to: DateTime!) {
  events(
    first: 50
    filter: {createdFrom: $from, createdTo: $to}
    order: created_at_asc
  ) {
    pageInfo {
      hasNextPage
    }
    edges {
      node {
        id
        type
        resourceId
        createdAt
      }
    }
  }
}
    `),"\n  mutation DeleteCoupon($id: ID!) { deleteCoupon(id: $id) { id } }\n":new $(`
    mutation DeleteCoupon($id: ID!) {
  deleteCoupon(id: $id) {
    id
  }
}
    `),"\n  query Coupons($first: Int, $after: String, $filter: CouponFilter, $order: CouponOrder!) {\n    coupons(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id code discountType discountValue maxUses usesCount startsAt expiresAt isActive } }\n    }\n  }\n":new $(`
    query Coupons($first: Int, $after: String, $filter: CouponFilter, $order: CouponOrder!) {
  coupons(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        code
        discountType
        discountValue
        maxUses
        usesCount
        startsAt
        expiresAt
        isActive
      }
    }
  }
}
    `),"\n  mutation CreateCoupon($input: CreateCouponInput!) { createCoupon(input: $input) { id } }\n":new $(`
    mutation CreateCoupon($input: CreateCouponInput!) {
  createCoupon(input: $input) {
    id
  }
}
    `),"\n  query Coupon($id: ID!) {\n    coupon(id: $id) {\n      id code description discountType discountValue maxUses maxUsesPerCustomer usesCount minAmount productIds startsAt\n      expiresAt isActive createdAt updatedAt\n    }\n  }\n":new $(`
    query Coupon($id: ID!) {
  coupon(id: $id) {
    id
    code
    description
    discountType
    discountValue
    maxUses
    maxUsesPerCustomer
    usesCount
    minAmount
    productIds
    startsAt
    expiresAt
    isActive
    createdAt
    updatedAt
  }
}
    `),"\n  mutation UpdateCoupon($input: UpdateCouponInput!) { updateCoupon(input: $input) { id } }\n":new $(`
    mutation UpdateCoupon($input: UpdateCouponInput!) {
  updateCoupon(input: $input) {
    id
  }
}
    `),"\n  query ValidateCoupon($code: String!, $amount: Reais, $productId: ID) {\n    validateCoupon(code: $code, amount: $amount, productId: $productId) {\n      code originalAmount discountAmount finalAmount\n    }\n  }\n":new $(`
    query ValidateCoupon($code: String!, $amount: Reais, $productId: ID) {
  validateCoupon(code: $code, amount: $amount, productId: $productId) {
    code
    originalAmount
    discountAmount
    finalAmount
  }
}
    `),"\n  query FindCoupons($q: String) {\n    coupons(first: 20, filter: { q: $q, status: active }, order: code_asc) { edges { node { id code description } } }\n  }\n":new $(`
    query FindCoupons($q: String) {
  coupons(first: 20, filter: {q: $q, status: active}, order: code_asc) {
    edges {
      node {
        id
        code
        description
      }
    }
  }
}
    `),"\n  mutation DeleteCustomer($id: ID!) { deleteCustomer(id: $id) { id } }\n":new $(`
    mutation DeleteCustomer($id: ID!) {
  deleteCustomer(id: $id) {
    id
  }
}
    `),"\n  query Customers($first: Int, $after: String, $filter: CustomerFilter, $order: CustomerOrder!) {\n    customers(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id name email cpf createdAt } }\n    }\n  }\n":new $(`
    query Customers($first: Int, $after: String, $filter: CustomerFilter, $order: CustomerOrder!) {
  customers(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        name
        email
        cpf
        createdAt
      }
    }
  }
}
    `),"\n  mutation CreateCustomer($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }\n":new $(`
    mutation CreateCustomer($input: CreateCustomerInput!) {
  createCustomer(input: $input) {
    id
  }
}
    `),"\n  query Customer($id: ID!) { customer(id: $id) { id name email cpf phone createdAt updatedAt } }\n":new $(`
    query Customer($id: ID!) {
  customer(id: $id) {
    id
    name
    email
    cpf
    phone
    createdAt
    updatedAt
  }
}
    `),"\n  mutation UpdateCustomer($input: UpdateCustomerInput!) { updateCustomer(input: $input) { id } }\n":new $(`
    mutation UpdateCustomer($input: UpdateCustomerInput!) {
  updateCustomer(input: $input) {
    id
  }
}
    `),"\n  query FindCustomers($q: String) {\n    customers(first: 20, filter: { q: $q }, order: name_asc) { edges { node { id name email cpf } } }\n  }\n":new $(`
    query FindCustomers($q: String) {
  customers(first: 20, filter: {q: $q}, order: name_asc) {
    edges {
      node {
        id
        name
        email
        cpf
      }
    }
  }
}
    `),"\n  query QuickStart($environment: Environment!) {\n    apiKeys(first: 1, filter: { status: active, environment: $environment }) { edges { node { prefix } } }\n    charges(first: 0) { totalCount }\n    paid: charges(first: 0, filter: { status: paid }) { totalCount }\n    webhookEndpoints(first: 0) { totalCount }\n  }\n":new $(`
    query QuickStart($environment: Environment!) {
  apiKeys(first: 1, filter: {status: active, environment: $environment}) {
    edges {
      node {
        prefix
      }
    }
  }
  charges(first: 0) {
    totalCount
  }
  paid: charges(first: 0, filter: {status: paid}) {
    totalCount
  }
  webhookEndpoints(first: 0) {
    totalCount
  }
}
    `),"\n  query Event($id: ID!) {\n    event(id: $id) {\n      id type createdAt resourceId test payload\n      deliveries { id endpointId status nextAttemptAt lastStatus lastError endpoint { id name } }\n    }\n  }\n":new $(`
    query Event($id: ID!) {
  event(id: $id) {
    id
    type
    createdAt
    resourceId
    test
    payload
    deliveries {
      id
      endpointId
      status
      nextAttemptAt
      lastStatus
      lastError
      endpoint {
        id
        name
      }
    }
  }
}
    `),"\n  query Events($first: Int, $after: String, $filter: EventFilter, $order: ByCreation!) {\n    events(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id type resourceId test createdAt } }\n    }\n  }\n":new $(`
    query Events($first: Int, $after: String, $filter: EventFilter, $order: ByCreation!) {
  events(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        type
        resourceId
        test
        createdAt
      }
    }
  }
}
    `),"\n  query Viewer {\n    viewer { role environment isStaff operations store { id name productionStatus } }\n    me { user { id name email } }\n    stores { id name }\n  }\n":new $(`
    query Viewer {
  viewer {
    role
    environment
    isStaff
    operations
    store {
      id
      name
      productionStatus
    }
  }
  me {
    user {
      id
      name
      email
    }
  }
  stores {
    id
    name
  }
}
    `),"\n  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {\n    chooseEnvironment(input: $input) { accessToken environment user { id } }\n  }\n":new $(`
    mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
  chooseEnvironment(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  query CurrentSession { sessions { id current } }\n":new $(`
    query CurrentSession {
  sessions {
    id
    current
  }
}
    `),"\n  mutation EndSession($id: ID!) { endSession(id: $id) { id } }\n":new $(`
    mutation EndSession($id: ID!) {
  endSession(id: $id) {
    id
  }
}
    `),"\n  mutation OpenTestReceiver { openTestReceiver { id secret } }\n":new $(`
    mutation OpenTestReceiver {
  openTestReceiver {
    id
    secret
  }
}
    `),"\n  mutation FirstCharge($input: IssueChargeInput!) { issueCharge(input: $input) { id } }\n":new $(`
    mutation FirstCharge($input: IssueChargeInput!) {
  issueCharge(input: $input) {
    id
  }
}
    `),"\n  query Home($from: Date!, $to: Date!) {\n    chargeFigures(from: $from, to: $to) {\n      total { issuedCount paidCount paidAmount }\n      previous { issuedCount paidCount paidAmount }\n      steps { from paidAmount }\n    }\n    withdrawalSummary { availableAmount pendingAmount chargesCount }\n    charges(first: 5) {\n      totalCount\n      edges { node { id status underReview amount description customerName createdAt } }\n    }\n    production { status pendencias }\n    receivingAccount { status }\n    inactive: webhookEndpoints(first: 3, filter: { status: inactive }) { edges { node { id name } } }\n    webhookEndpoints(first: 0) { totalCount }\n    failing: subscriptions(first: 0, filter: { failing: true }) { totalCount }\n    apiKeys(first: 0) { totalCount }\n  }\n":new $(`
    query Home($from: Date!, $to: Date!) {
  chargeFigures(from: $from, to: $to) {
    total {
      issuedCount
      paidCount
      paidAmount
    }
    previous {
      issuedCount
      paidCount
      paidAmount
    }
    steps {
      from
      paidAmount
    }
  }
  withdrawalSummary {
    availableAmount
    pendingAmount
    chargesCount
  }
  charges(first: 5) {
    totalCount
    edges {
      node {
        id
        status
        underReview
        amount
        description
        customerName
        createdAt
      }
    }
  }
  production {
    status
    pendencias
  }
  receivingAccount {
    status
  }
  inactive: webhookEndpoints(first: 3, filter: {status: inactive}) {
    edges {
      node {
        id
        name
      }
    }
  }
  webhookEndpoints(first: 0) {
    totalCount
  }
  failing: subscriptions(first: 0, filter: {failing: true}) {
    totalCount
  }
  apiKeys(first: 0) {
    totalCount
  }
}
    `),"\n  mutation UpdateApiKey($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { id } }\n":new $(`
    mutation UpdateApiKey($input: UpdateApiKeyInput!) {
  updateApiKey(input: $input) {
    id
  }
}
    `),"\n  mutation RevokeApiKey($id: ID!) { revokeApiKey(id: $id) { id } }\n":new $(`
    mutation RevokeApiKey($id: ID!) {
  revokeApiKey(id: $id) {
    id
  }
}
    `),"\n  query ApiKeys($first: Int, $after: String, $filter: ApiKeyFilter, $order: ApiKeyOrder!) {\n    apiKeys(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id name prefix environment active expiresAt lastUsedAt } }\n    }\n  }\n":new $(`
    query ApiKeys($first: Int, $after: String, $filter: ApiKeyFilter, $order: ApiKeyOrder!) {
  apiKeys(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        name
        prefix
        environment
        active
        expiresAt
        lastUsedAt
      }
    }
  }
}
    `),"\n  mutation CreateApiKey($input: CreateApiKeyInput!) { createApiKey(input: $input) { id key } }\n":new $(`
    mutation CreateApiKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    id
    key
  }
}
    `),"\n  query ApiKey($id: ID!) {\n    apiKey(id: $id) { id name prefix environment active scopes expiresAt lastUsedAt createdAt }\n  }\n":new $(`
    query ApiKey($id: ID!) {
  apiKey(id: $id) {
    id
    name
    prefix
    environment
    active
    scopes
    expiresAt
    lastUsedAt
    createdAt
  }
}
    `),"\n  mutation DeletePaymentLink($id: ID!) { deletePaymentLink(id: $id) { id } }\n":new $(`
    mutation DeletePaymentLink($id: ID!) {
  deletePaymentLink(id: $id) {
    id
  }
}
    `),"\n  query PaymentLinksOf($filter: PaymentLinkFilter!) {\n    paymentLinks(first: 5, filter: $filter, order: created_at_desc) {\n      edges {\n        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }\n      }\n    }\n  }\n":new $(`
    query PaymentLinksOf($filter: PaymentLinkFilter!) {
  paymentLinks(first: 5, filter: $filter, order: created_at_desc) {
    edges {
      node {
        id
        title
        amount
        active
        expiresAt
        maxUses
        usesCount
        unpayableReason
        product {
          name
          price
        }
      }
    }
  }
}
    `),"\n  query PaymentLinks($first: Int, $after: String, $filter: PaymentLinkFilter, $order: PaymentLinkOrder!) {\n    paymentLinks(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges {\n        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }\n      }\n    }\n  }\n":new $(`
    query PaymentLinks($first: Int, $after: String, $filter: PaymentLinkFilter, $order: PaymentLinkOrder!) {
  paymentLinks(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        title
        amount
        active
        expiresAt
        maxUses
        usesCount
        unpayableReason
        product {
          name
          price
        }
      }
    }
  }
}
    `),"\n  mutation CreatePaymentLink($input: CreatePaymentLinkInput!) { createPaymentLink(input: $input) { id } }\n":new $(`
    mutation CreatePaymentLink($input: CreatePaymentLinkInput!) {
  createPaymentLink(input: $input) {
    id
  }
}
    `),"\n  query PaymentLink($id: ID!) {\n    paymentLink(id: $id) {\n      id url title description amount productId couponId allowCoupons active expiresAt maxUses unpayableReason usesCount\n      successUrl cancelUrl chargeExpiresInMinutes externalReference createdAt updatedAt\n      product { id name price description }\n      coupon { id code }\n    }\n  }\n":new $(`
    query PaymentLink($id: ID!) {
  paymentLink(id: $id) {
    id
    url
    title
    description
    amount
    productId
    couponId
    allowCoupons
    active
    expiresAt
    maxUses
    unpayableReason
    usesCount
    successUrl
    cancelUrl
    chargeExpiresInMinutes
    externalReference
    createdAt
    updatedAt
    product {
      id
      name
      price
      description
    }
    coupon {
      id
      code
    }
  }
}
    `),"\n  mutation UpdatePaymentLink($input: UpdatePaymentLinkInput!) { updatePaymentLink(input: $input) { id } }\n":new $(`
    mutation UpdatePaymentLink($input: UpdatePaymentLinkInput!) {
  updatePaymentLink(input: $input) {
    id
  }
}
    `),"\n  mutation ApproveMerchant($id: ID!) { approveMerchant(id: $id) { id } }\n":new $(`
    mutation ApproveMerchant($id: ID!) {
  approveMerchant(id: $id) {
    id
  }
}
    `),"\n  mutation RefuseMerchant($id: ID!, $motivo: String!) { refuseMerchant(id: $id, motivo: $motivo) { id } }\n":new $(`
    mutation RefuseMerchant($id: ID!, $motivo: String!) {
  refuseMerchant(id: $id, motivo: $motivo) {
    id
  }
}
    `),"\n  mutation SuspendMerchant($id: ID!, $motivo: String) { suspendMerchant(id: $id, motivo: $motivo) { id } }\n":new $(`
    mutation SuspendMerchant($id: ID!, $motivo: String) {
  suspendMerchant(id: $id, motivo: $motivo) {
    id
  }
}
    `),"\n  mutation ReactivateMerchant($id: ID!) { reactivateMerchant(id: $id) { id } }\n":new $(`
    mutation ReactivateMerchant($id: ID!) {
  reactivateMerchant(id: $id) {
    id
  }
}
    `),"\n  query Merchants($first: Int, $after: String, $filter: MerchantFilter, $order: MerchantOrder!) {\n    merchants(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id name email company productionStatus productionRequestedAt } }\n    }\n  }\n":new $(`
    query Merchants($first: Int, $after: String, $filter: MerchantFilter, $order: MerchantOrder!) {
  merchants(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        name
        email
        company
        productionStatus
        productionRequestedAt
      }
    }
  }
}
    `),"\n  query Merchant($id: ID!) {\n    merchant(id: $id) {\n      id name email company cnpj cpf phone address addressNumber complement province postalCode companyType\n      productionStatus productionRequestedAt productionReviewedAt productionRejectReason productionTermsAcceptedAt\n      createdAt\n      documents { id type fileName contentType size sha256 uploadedAt }\n      history { id toStatus reason submitted actorName createdAt }\n    }\n  }\n":new $(`
    query Merchant($id: ID!) {
  merchant(id: $id) {
    id
    name
    email
    company
    cnpj
    cpf
    phone
    address
    addressNumber
    complement
    province
    postalCode
    companyType
    productionStatus
    productionRequestedAt
    productionReviewedAt
    productionRejectReason
    productionTermsAcceptedAt
    createdAt
    documents {
      id
      type
      fileName
      contentType
      size
      sha256
      uploadedAt
    }
    history {
      id
      toStatus
      reason
      submitted
      actorName
      createdAt
    }
  }
}
    `),"\n  query ReviewQueue {\n    merchants(first: 2, filter: { status: pending }) { edges { node { id name company } } }\n  }\n":new $(`
    query ReviewQueue {
  merchants(first: 2, filter: {status: pending}) {
    edges {
      node {
        id
        name
        company
      }
    }
  }
}
    `),"\n  mutation CreateProduct($input: CreateProductInput!) { createProduct(input: $input) { id } }\n":new $(`
    mutation CreateProduct($input: CreateProductInput!) {
  createProduct(input: $input) {
    id
  }
}
    `),"\n  mutation DeleteProduct($id: ID!) { deleteProduct(id: $id) { id } }\n":new $(`
    mutation DeleteProduct($id: ID!) {
  deleteProduct(id: $id) {
    id
  }
}
    `),"\n  query Products($first: Int, $after: String, $filter: ProductFilter, $order: ProductOrder!) {\n    products(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id name price sku active } }\n    }\n  }\n":new $(`
    query Products($first: Int, $after: String, $filter: ProductFilter, $order: ProductOrder!) {
  products(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        name
        price
        sku
        active
      }
    }
  }
}
    `),"\n  query Product($id: ID!) {\n    product(id: $id) {\n      id name description price sku imageUrl active externalReference metadata createdAt updatedAt\n    }\n  }\n":new $(`
    query Product($id: ID!) {
  product(id: $id) {
    id
    name
    description
    price
    sku
    imageUrl
    active
    externalReference
    metadata
    createdAt
    updatedAt
  }
}
    `),"\n  mutation UpdateProduct($input: UpdateProductInput!) { updateProduct(input: $input) { id } }\n":new $(`
    mutation UpdateProduct($input: UpdateProductInput!) {
  updateProduct(input: $input) {
    id
  }
}
    `),"\n  query FindProducts($q: String) {\n    products(first: 20, filter: { q: $q, status: active }, order: name_asc) { edges { node { id name description price } } }\n  }\n":new $(`
    query FindProducts($q: String) {
  products(first: 20, filter: {q: $q, status: active}, order: name_asc) {
    edges {
      node {
        id
        name
        description
        price
      }
    }
  }
}
    `),"\n  query ServiceFigures {\n    queue: merchants(first: 1, filter: { status: pending }) {\n      totalCount totalCapped edges { node { id productionRequestedAt } }\n    }\n    ordered: storeWithdrawals(first: 0, filter: { status: pending }) { totalCount totalCapped }\n    processing: storeWithdrawals(first: 0, filter: { status: processing }) { totalCount totalCapped }\n    repayments(first: 0, filter: { status: recorded }) { totalCount totalCapped }\n    differences(first: 0, filter: { status: open }) { totalCount totalCapped }\n  }\n":new $(`
    query ServiceFigures {
  queue: merchants(first: 1, filter: {status: pending}) {
    totalCount
    totalCapped
    edges {
      node {
        id
        productionRequestedAt
      }
    }
  }
  ordered: storeWithdrawals(first: 0, filter: {status: pending}) {
    totalCount
    totalCapped
  }
  processing: storeWithdrawals(first: 0, filter: {status: processing}) {
    totalCount
    totalCapped
  }
  repayments(first: 0, filter: {status: recorded}) {
    totalCount
    totalCapped
  }
  differences(first: 0, filter: {status: open}) {
    totalCount
    totalCapped
  }
}
    `),"\n  mutation LoginWithCode($input: LoginWithCodeInput!, $remember: Boolean!) {\n    loginWithCode(input: $input, remember: $remember) { accessToken environment user { id } }\n  }\n":new $(`
    mutation LoginWithCode($input: LoginWithCodeInput!, $remember: Boolean!) {
  loginWithCode(input: $input, remember: $remember) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  query DemoLogin { service { demo { email password } } }\n":new $(`
    query DemoLogin {
  service {
    demo {
      email
      password
    }
  }
}
    `),"\n  mutation LoginAsDemo($input: LoginInput!) {\n    login(input: $input) { accessToken environment user { id } }\n  }\n":new $(`
    mutation LoginAsDemo($input: LoginInput!) {
  login(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation RequestPasswordReset($input: RequestPasswordResetInput!) {\n    requestPasswordReset(input: $input) { message }\n  }\n":new $(`
    mutation RequestPasswordReset($input: RequestPasswordResetInput!) {
  requestPasswordReset(input: $input) {
    message
  }
}
    `),"\n  mutation Login($input: LoginInput!, $remember: Boolean!) {\n    login(input: $input, remember: $remember) { accessToken environment user { id } }\n  }\n":new $(`
    mutation Login($input: LoginInput!, $remember: Boolean!) {
  login(input: $input, remember: $remember) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation ResetPassword($input: ResetPasswordInput!) {\n    resetPassword(input: $input) { message }\n  }\n":new $(`
    mutation ResetPassword($input: ResetPasswordInput!) {
  resetPassword(input: $input) {
    message
  }
}
    `),"\n  mutation Register($input: RegisterInput!) {\n    register(input: $input) { accessToken environment user { id } }\n  }\n":new $(`
    mutation Register($input: RegisterInput!) {
  register(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation RefreshSession {\n    refreshSession { accessToken environment user { id } }\n  }\n":new $(`
    mutation RefreshSession {
  refreshSession {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation ResumeSession($environment: Environment) {\n    resumeSession(environment: $environment) { accessToken environment user { id } }\n  }\n":new $(`
    mutation ResumeSession($environment: Environment) {
  resumeSession(environment: $environment) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation ChangePassword($input: ChangePasswordInput!) {\n    changePassword(input: $input) { accessToken environment user { id } }\n  }\n":new $(`
    mutation ChangePassword($input: ChangePasswordInput!) {
  changePassword(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation BeginTwoFactor($input: BeginTwoFactorInput!) {\n    beginTwoFactor(input: $input) { secret qrCodeUrl expiresAt }\n  }\n":new $(`
    mutation BeginTwoFactor($input: BeginTwoFactorInput!) {
  beginTwoFactor(input: $input) {
    secret
    qrCodeUrl
    expiresAt
  }
}
    `),"\n  mutation ConfirmTwoFactor($input: ConfirmTwoFactorInput!) {\n    confirmTwoFactor(input: $input) { recoveryCodes session { accessToken environment user { id } } }\n  }\n":new $(`
    mutation ConfirmTwoFactor($input: ConfirmTwoFactorInput!) {
  confirmTwoFactor(input: $input) {
    recoveryCodes
    session {
      accessToken
      environment
      user {
        id
      }
    }
  }
}
    `),"\n  mutation OpenReceivingAccount($input: OpenReceivingAccountInput!) {\n    openReceivingAccount(input: $input) { accountId }\n  }\n":new $(`
    mutation OpenReceivingAccount($input: OpenReceivingAccountInput!) {
  openReceivingAccount(input: $input) {
    accountId
  }
}
    `),"\n  mutation RequestProduction { requestProduction { status } }\n":new $(`
    mutation RequestProduction {
  requestProduction {
    status
  }
}
    `),"\n  mutation CheckReceivingAccount { checkReceivingAccount { status } }\n":new $(`
    mutation CheckReceivingAccount {
  checkReceivingAccount {
    status
  }
}
    `),"\n  mutation EndOneSession($id: ID!) { endSession(id: $id) { id } }\n":new $(`
    mutation EndOneSession($id: ID!) {
  endSession(id: $id) {
    id
  }
}
    `),"\n  mutation EndOtherSessions { endOtherSessions { accessToken environment user { id } } }\n":new $(`
    mutation EndOtherSessions {
  endOtherSessions {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation SimulateReceivingReview($input: SimulateReviewInput!) {\n    simulateReceivingReview(input: $input) { status }\n  }\n":new $(`
    mutation SimulateReceivingReview($input: SimulateReviewInput!) {
  simulateReceivingReview(input: $input) {
    status
  }
}
    `),"\n  mutation RenewRecoveryCodes($input: ProveTwoFactorInput!) {\n    renewRecoveryCodes(input: $input) { recoveryCodes }\n  }\n":new $(`
    mutation RenewRecoveryCodes($input: ProveTwoFactorInput!) {
  renewRecoveryCodes(input: $input) {
    recoveryCodes
  }
}
    `),"\n  mutation DisableTwoFactor($input: ProveTwoFactorInput!) { disableTwoFactor(input: $input) { enabled } }\n":new $(`
    mutation DisableTwoFactor($input: ProveTwoFactorInput!) {
  disableTwoFactor(input: $input) {
    enabled
  }
}
    `),"\n  query Profile {\n    me {\n      user {\n        id name email company cnpj cpf phone address addressNumber complement province postalCode companyType\n        notifyPaymentEmail receiptEmail\n      }\n    }\n  }\n":new $(`
    query Profile {
  me {
    user {
      id
      name
      email
      company
      cnpj
      cpf
      phone
      address
      addressNumber
      complement
      province
      postalCode
      companyType
      notifyPaymentEmail
      receiptEmail
    }
  }
}
    `),"\n  mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }\n":new $(`
    mutation UpdateProfile($input: UpdateProfileInput!) {
  updateProfile(input: $input) {
    user {
      id
    }
  }
}
    `),"\n  query Production {\n    production { liberada status solicitadaEm revisadaEm motivoRecusa pendencias termosUrl }\n    productionDocuments { id type fileName size uploadedAt }\n  }\n":new $(`
    query Production {
  production {
    liberada
    status
    solicitadaEm
    revisadaEm
    motivoRecusa
    pendencias
    termosUrl
  }
  productionDocuments {
    id
    type
    fileName
    size
    uploadedAt
  }
}
    `),"\n  query ReceivingAccount {\n    receivingAccount {\n      modo criada accountId status environment companyName cnpj\n      aprovacao {\n        aprovada conferida geral dadosComerciais contaBancaria documentos conferidaEm linkDocumentos linkDocumentosQr\n        motivosRecusa\n      }\n    }\n  }\n":new $(`
    query ReceivingAccount {
  receivingAccount {
    modo
    criada
    accountId
    status
    environment
    companyName
    cnpj
    aprovacao {
      aprovada
      conferida
      geral
      dadosComerciais
      contaBancaria
      documentos
      conferidaEm
      linkDocumentos
      linkDocumentosQr
      motivosRecusa
    }
  }
}
    `),"\n  query TwoFactor { twoFactor { enabled enabledAt recoveryCodesLeft required } }\n":new $(`
    query TwoFactor {
  twoFactor {
    enabled
    enabledAt
    recoveryCodesLeft
    required
  }
}
    `),"\n  query OpenSessions { sessions { id current ip userAgent begunAt lastUsedAt } }\n":new $(`
    query OpenSessions {
  sessions {
    id
    current
    ip
    userAgent
    begunAt
    lastUsedAt
  }
}
    `),"\n  query ClockStatus { testClock { status } }\n":new $(`
    query ClockStatus {
  testClock {
    status
  }
}
    `),"\n  mutation CreateSubscription($input: CreateSubscriptionContractInput!) { createSubscription(input: $input) { id } }\n":new $(`
    mutation CreateSubscription($input: CreateSubscriptionContractInput!) {
  createSubscription(input: $input) {
    id
  }
}
    `),"\n  mutation ChargeSubscription($id: ID!) { chargeSubscription(id: $id) { id } }\n":new $(`
    mutation ChargeSubscription($id: ID!) {
  chargeSubscription(id: $id) {
    id
  }
}
    `),"\n  mutation DeleteSubscription($id: ID!) { deleteSubscription(id: $id) { id } }\n":new $(`
    mutation DeleteSubscription($id: ID!) {
  deleteSubscription(id: $id) {
    id
  }
}
    `),"\n  query SubscriptionsOf($customerId: ID!) {\n    subscriptions(first: 5, filter: { customerId: $customerId }, order: created_at_desc) {\n      edges { node { id customerName amount interval status lastFailure nextBillingAt } }\n    }\n  }\n":new $(`
    query SubscriptionsOf($customerId: ID!) {
  subscriptions(
    first: 5
    filter: {customerId: $customerId}
    order: created_at_desc
  ) {
    edges {
      node {
        id
        customerName
        amount
        interval
        status
        lastFailure
        nextBillingAt
      }
    }
  }
}
    `),"\n  query Subscriptions($first: Int, $after: String, $filter: SubscriptionContractFilter, $order: SubscriptionOrder!) {\n    subscriptions(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id customerName amount interval status lastFailure nextBillingAt } }\n    }\n  }\n":new $(`
    query Subscriptions($first: Int, $after: String, $filter: SubscriptionContractFilter, $order: SubscriptionOrder!) {
  subscriptions(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        customerName
        amount
        interval
        status
        lastFailure
        nextBillingAt
      }
    }
  }
}
    `),"\n  query Subscription($id: ID!) {\n    subscription(id: $id) {\n      id environment customerId customerName customerEmail customerCpf description amount interval status nextBillingAt\n      endDate maxCycles cyclesCount externalReference lastFailure createdAt updatedAt\n      customer { id name email cpf }\n    }\n  }\n":new $(`
    query Subscription($id: ID!) {
  subscription(id: $id) {
    id
    environment
    customerId
    customerName
    customerEmail
    customerCpf
    description
    amount
    interval
    status
    nextBillingAt
    endDate
    maxCycles
    cyclesCount
    externalReference
    lastFailure
    createdAt
    updatedAt
    customer {
      id
      name
      email
      cpf
    }
  }
}
    `),"\n  query UpcomingCharges($id: ID!, $count: Int!) {\n    upcomingCharges(id: $id, count: $count) { cycle billingAt amount }\n  }\n":new $(`
    query UpcomingCharges($id: ID!, $count: Int!) {
  upcomingCharges(id: $id, count: $count) {
    cycle
    billingAt
    amount
  }
}
    `),"\n  mutation UpdateSubscription($input: UpdateSubscriptionContractInput!) { updateSubscription(input: $input) { id } }\n":new $(`
    mutation UpdateSubscription($input: UpdateSubscriptionContractInput!) {
  updateSubscription(input: $input) {
    id
  }
}
    `),"\n  query WebhookDeliveries(\n    $endpointId: ID!, $first: Int, $after: String, $filter: WebhookDeliveryFilter, $order: ByCreation!\n  ) {\n    webhookDeliveries(endpointId: $endpointId, first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id endpointId event test status nextAttemptAt lastStatus lastError createdAt } }\n    }\n  }\n":new $(`
    query WebhookDeliveries($endpointId: ID!, $first: Int, $after: String, $filter: WebhookDeliveryFilter, $order: ByCreation!) {
  webhookDeliveries(
    endpointId: $endpointId
    first: $first
    after: $after
    filter: $filter
    order: $order
  ) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        endpointId
        event
        test
        status
        nextAttemptAt
        lastStatus
        lastError
        createdAt
      }
    }
  }
}
    `),"\n  mutation RedeliverWebhook($endpointId: ID!, $deliveryId: ID!) {\n    redeliverWebhook(endpointId: $endpointId, deliveryId: $deliveryId) { id }\n  }\n":new $(`
    mutation RedeliverWebhook($endpointId: ID!, $deliveryId: ID!) {
  redeliverWebhook(endpointId: $endpointId, deliveryId: $deliveryId) {
    id
  }
}
    `),"\n  mutation DeleteWebhookEndpoint($id: ID!) { deleteWebhookEndpoint(id: $id) { id } }\n":new $(`
    mutation DeleteWebhookEndpoint($id: ID!) {
  deleteWebhookEndpoint(id: $id) {
    id
  }
}
    `),"\n  query WebhookEndpoints($first: Int, $after: String, $filter: WebhookEndpointFilter, $order: ByCreation!) {\n    webhookEndpoints(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges {\n        node {\n          id name url active disabledReason\n          health { lastSuccessAt lastAttemptAt firstFailureAt consecutiveFailures }\n        }\n      }\n    }\n  }\n":new $(`
    query WebhookEndpoints($first: Int, $after: String, $filter: WebhookEndpointFilter, $order: ByCreation!) {
  webhookEndpoints(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        name
        url
        active
        disabledReason
        health {
          lastSuccessAt
          lastAttemptAt
          firstFailureAt
          consecutiveFailures
        }
      }
    }
  }
}
    `),"\n  query InactiveEndpoints {\n    webhookEndpoints(first: 50, filter: { status: inactive }) { edges { node { id name disabledReason } } }\n  }\n":new $(`
    query InactiveEndpoints {
  webhookEndpoints(first: 50, filter: {status: inactive}) {
    edges {
      node {
        id
        name
        disabledReason
      }
    }
  }
}
    `),"\n  mutation CreateWebhookEndpoint($input: CreateWebhookEndpointInput!) {\n    createWebhookEndpoint(input: $input) { id secret }\n  }\n":new $(`
    mutation CreateWebhookEndpoint($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) {
    id
    secret
  }
}
    `),"\n  mutation ReplayWebhooks($input: ReplayWebhooksInput!) { replayWebhooks(input: $input) { replayed hasMore } }\n":new $(`
    mutation ReplayWebhooks($input: ReplayWebhooksInput!) {
  replayWebhooks(input: $input) {
    replayed
    hasMore
  }
}
    `),"\n  mutation RotateWebhookSecret($input: RotateSecretInput!) { rotateWebhookSecret(input: $input) { secret } }\n":new $(`
    mutation RotateWebhookSecret($input: RotateSecretInput!) {
  rotateWebhookSecret(input: $input) {
    secret
  }
}
    `),"\n  mutation TryWebhookEndpoint($id: ID!, $event: String!) { tryWebhookEndpoint(id: $id, event: $event) { id } }\n":new $(`
    mutation TryWebhookEndpoint($id: ID!, $event: String!) {
  tryWebhookEndpoint(id: $id, event: $event) {
    id
  }
}
    `),"\n  mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { id } }\n":new $(`
    mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(input: $input) {
    id
  }
}
    `),"\n  query WebhookEndpoint($id: ID!) {\n    webhookEndpoint(id: $id) {\n      id name url environment events version secretPreview previousSecretUntil active disabledReason disabledAt expiresAt\n      createdAt\n      health { lastSuccessAt lastAttemptAt firstFailureAt consecutiveFailures delivered24h failed24h }\n    }\n  }\n":new $(`
    query WebhookEndpoint($id: ID!) {
  webhookEndpoint(id: $id) {
    id
    name
    url
    environment
    events
    version
    secretPreview
    previousSecretUntil
    active
    disabledReason
    disabledAt
    expiresAt
    createdAt
    health {
      lastSuccessAt
      lastAttemptAt
      firstFailureAt
      consecutiveFailures
      delivered24h
      failed24h
    }
  }
}
    `),"\n  query WebhookEvents { webhookEvents { event description } }\n":new $(`
    query WebhookEvents {
  webhookEvents {
    event
    description
  }
}
    `),"\n  query WebhookDelivery($endpointId: ID!, $deliveryId: ID!) {\n    webhookDelivery(endpointId: $endpointId, deliveryId: $deliveryId) {\n      id eventId event resourceId test status nextAttemptAt lastStatus lastError canceledReason createdAt finishedAt\n      attemptsCount payload requestHeaders\n      attempts { number startedAt durationMs address status errorCode requestHeaders responseHeaders response }\n      endpoint { id name active secretPreview }\n    }\n  }\n":new $(`
    query WebhookDelivery($endpointId: ID!, $deliveryId: ID!) {
  webhookDelivery(endpointId: $endpointId, deliveryId: $deliveryId) {
    id
    eventId
    event
    resourceId
    test
    status
    nextAttemptAt
    lastStatus
    lastError
    canceledReason
    createdAt
    finishedAt
    attemptsCount
    payload
    requestHeaders
    attempts {
      number
      startedAt
      durationMs
      address
      status
      errorCode
      requestHeaders
      responseHeaders
      response
    }
    endpoint {
      id
      name
      active
      secretPreview
    }
  }
}
    `)};function cr(e){return sr[e]??{}}export{T as A,ct as C,be as D,xe as E,l as F,C as M,o as N,N as O,f as P,ft as S,qe as T,En as _,Xn as a,ln as b,Zn as c,qn as d,Wn as f,Dn as g,Z as h,Kn as i,E as j,w as k,Gn as l,An as m,tr as n,Un as o,kn as p,nr as r,Vn as s,cr as t,Jn as u,fn as v,Ke as w,cn as x,dn as y};