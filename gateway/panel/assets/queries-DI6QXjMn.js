import{n as e,t}from"./queryOptions-D5kIdy4A.js";import{t as n}from"./errors-BuSk3emw.js";import{c as r,u as i}from"./main-Dx5VnZho.js";import{t as a}from"./present-D_1kSWmV.js";import{a as o,i as s,n as c}from"./session-u4TcsYwU.js";import{E as l,T as u}from"./format-otRkt6Kn.js";var d=`LOJA_NAO_AUTORIZADA`,f=i(`
  query Viewer($test: Boolean!) {
    viewer { role environment isStaff lacksSecondFactor operations refused { operation codigo } store { id name productionStatus timeZone } }
    me { user { id name email } }
    stores { id name timeZone }
    testClock @include(if: $test) { offsetSeconds }
  }
`),p=t({queryKey:[`viewer`],queryFn:async({signal:e})=>{let t=s()?.environment===`test`,i=()=>r(f,{test:t},{signal:e}),{viewer:p,me:m,stores:h,testClock:g}=await i().catch(e=>{if(!(e instanceof n&&e.code===d&&o()))throw e;return c(null),i()}),_=g?.offsetSeconds??0;return l(a(p).store.timeZone),u(_),{...a(p),user:a(m).user,stores:a(h),aheadSeconds:_}},staleTime:6e4});function m(){let{data:t}=e(p);return e=>t.operations.includes(e)}export{p as n,m as t};